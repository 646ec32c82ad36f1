import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { agentNames, loadAgent } from '../../agents/known-agents.ts'
import { createStream } from '../../agents/stream.ts'
import { BundleError, readBundle } from '../../bundle/read-bundle.ts'
import { createStamp } from '../../events/stamp.ts'
import type { AgentEvent, StampedEvent } from '../../events/types.ts'
import { createLedger } from '../../ledger/ledger.ts'
import { insertUsageUpdates } from '../../ledger/usage-update.ts'
import { nodeTextReader } from '../../process/node-text-reader.ts'
import { Fault } from '../../shared/fault.ts'
import { systemReason } from '../system-reason.ts'

/** A recording has no times, so its events come at this distance, in ms. */
const recordedPaceMs = 25

/** The events of a file: a bundle, lines of events, or the raw stream of an agent. */
export const eventsInFile = async function* (
  file: string,
  agent?: string,
): AsyncGenerator<StampedEvent> {
  try {
    const start = await readStart(file)
    if (start[0] === 0x1f && start[1] === 0x8b) yield* eventsInBundle(file)
    else if (agent === undefined && isEventLine(start.toString('utf8'))) yield* eventsInLines(file)
    else yield* eventsInRecording(file, agent ?? (await agentOf(file)))
  } catch (cause) {
    if (cause instanceof BundleError)
      throw new Fault('file_not_readable', `Cannot replay ${file}. ${cause.message}`, { cause })
    if (!(cause instanceof Error && 'syscall' in cause)) throw cause
    throw new Fault('file_not_readable', `Cannot read ${file}: ${systemReason(cause)}.`, { cause })
  }
}

/** Enough for the first lines of an agent, which can be long. */
const startBytes = 512 * 1024

const readStart = async (file: string): Promise<Buffer> => {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(startBytes), 0, startBytes, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

const eventsInBundle = async function* (file: string): AsyncGenerator<StampedEvent> {
  const input = createReadStream(file)
  try {
    for await (const item of readBundle(input)) if (item.kind === 'event') yield item.event
  } finally {
    input.destroy()
  }
}

/** `sluice run --out events` and `GET sessions/:id/export` write such lines. */
const isEventLine = (text: string): boolean =>
  /^\{"type":"[a-z_]+"/.test(text) && /"seq":1[,}]/.test(text.split('\n')[0] ?? '')

const eventsInLines = async function* (file: string): AsyncGenerator<StampedEvent> {
  const { agentEvent } = await import('../../events/event.ts')
  const { envelope } = await import('../../events/envelope.ts')
  const lines = createInterface({
    input: createReadStream(file),
    crlfDelay: Number.POSITIVE_INFINITY,
  })
  for await (const line of lines) {
    const { sessionId, seq, timestamp, ...event } = Object(parsed(line))
    const stamp = envelope.safeParse({ sessionId, seq, timestamp })
    const checked = agentEvent.safeParse(event)
    if (!stamp.success || !checked.success)
      throw new Fault('file_not_readable', `${file} has a line that is not an event.`)
    yield { ...checked.data, ...stamp.data }
  }
}

const parsed = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

const eventsInRecording = async function* (
  file: string,
  name: string,
): AsyncGenerator<StampedEvent> {
  const stream = createStream(await loadAgent(name), { reader: nodeTextReader })
  const ledger = createLedger()
  let time = Date.now()
  const stamp = createStamp('recording', () => {
    time += recordedPaceMs
    return time
  })
  const stamped = (events: readonly AgentEvent[]) =>
    [...insertUsageUpdates(ledger, events)].map(stamp)
  for await (const chunk of createReadStream(file)) yield* stamped(stream.push(chunk))
  yield* stamped(stream.end())
}

/** The agent whose stream the first lines are: the one that recognises most of them. */
const agentOf = async (file: string): Promise<string> => {
  const start = await readStart(file)
  const lines = start.subarray(0, start.lastIndexOf(10) + 1 || start.length)
  const fits = await Promise.all(agentNames.map((name) => fitOf(name, lines)))
  const [best] = fits.sort(
    (left, right) => right.score - left.score || right.certainty - left.certainty,
  )
  if (best && best.score > 0) return best.name
  throw new Fault(
    'file_not_readable',
    `${file} is neither a session of \`sluice export\` nor a stream of an agent. Name the agent with --agent.`,
  )
}

/**
 * How well an agent reads some lines. Some agents print the same lines, but each names its own version
 * in its own way.
 */
const fitOf = async (name: string, lines: Uint8Array) => {
  const agent = await loadAgent(name)
  // Every file is text, so that says nothing.
  if (agent.isText) return { name, score: 0, certainty: 0 }
  const stream = createStream(agent, { reader: nodeTextReader })
  // A decoder of several formats reads its first lines late, at the end of the stream at the latest.
  const events = [...stream.push(lines), ...stream.end()]
  const { lines: all, raw, malformed } = stream.counts()
  const session = events.find((event) => event.type === 'session_start')
  const certainty = session ? (session.agentVersion === undefined ? 1 : 2) : 0
  return { name, score: all - raw - malformed, certainty }
}

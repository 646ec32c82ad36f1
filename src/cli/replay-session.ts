import { statSync } from 'node:fs'
import type { StampedEvent } from '../events/types.ts'
import { createStreamOutput, type StreamOutput } from '../handler/stream-output.ts'
import { Fault } from '../shared/fault.ts'
import { exitCodes } from './exit.ts'
import type { OutName } from './out-names.ts'
import { sinkFor } from './outputs.ts'
import { createReplayClock, type ReplayClock } from './replay/replay-clock.ts'
import { watchReplayKeys } from './replay/replay-keys.ts'
import { eventsInFile } from './replay/replay-source.ts'
import { withStoredSession } from './stored-session.ts'
import { printRawError, type Terminal } from './terminal.ts'

export interface ReplayOptions {
  data: string
  /** A file, or a session by its id or name. */
  source: string
  /** The agent of a raw stream. Undefined: the one that fits. */
  agent?: string
  /** How many times as fast; 0 shows everything at once. Undefined: as it was, on a terminal. */
  speed?: number
  /** Waits for a key after each message and each tool. */
  step: boolean
  out: OutName
}

/** `sluice replay`: prints a session again, as it went. */
export const replaySession = async (
  options: ReplayOptions,
  terminal: Terminal,
): Promise<number> => {
  if (isFile(options.source))
    return play(eventsInFile(options.source, options.agent), options, terminal)
  return withStoredSession({ data: options.data, session: options.source }, ({ record, reader }) =>
    play(reader.read(record.id, 0), options, terminal),
  )
}

const isFile = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isFile() === true

const play = async (
  events: AsyncIterable<StampedEvent>,
  { step, out, speed }: ReplayOptions,
  terminal: Terminal,
): Promise<number> => {
  const hasKeys = process.stdin.isTTY === true && terminal.size() !== undefined
  if (step && !hasKeys) throw new Fault('usage', '--step waits for keys, so it needs a terminal.')
  const clock = createReplayClock(speed ?? (hasKeys ? 1 : 0), step)
  let exitCode: number = exitCodes.done
  const interrupt = () => {
    exitCode = exitCodes.stopped
    clock.stop()
  }
  const unwatch = hasKeys ? watchReplayKeys(clock, interrupt) : () => {}
  if (hasKeys && speed !== 0) printRawError(`${keyHelp}\n`)
  process.once('SIGINT', interrupt)
  try {
    await show(events, clock, out, terminal)
    return exitCode
  } finally {
    process.off('SIGINT', interrupt)
    unwatch()
  }
}

const keyHelp = 'Space: pause or go on. Enter: next step. + and -: speed. q: quit.'

/** Prints the events when the clock says so. */
const show = async (
  events: AsyncIterable<StampedEvent>,
  clock: ReplayClock,
  out: OutName,
  terminal: Terminal,
): Promise<void> => {
  let output: StreamOutput | undefined
  let time: number | undefined
  for await (const event of events) {
    if (time !== undefined) {
      // What was shown so far must be on the screen while the next event is waited for.
      if (event.timestamp > time || clock.isPaused()) await terminal.flush()
      await clock.pass(Math.max(0, event.timestamp - time))
    }
    if (clock.isStopped() || terminal.isClosed()) break
    time = event.timestamp
    const now = () => time ?? 0
    output ??= createStreamOutput(sinkFor(out, terminal), now)
    output.push(event)
    if (!endsStep(event)) continue
    await terminal.flush()
    await clock.stepDone()
  }
  if (!clock.isStopped()) output?.end()
  await terminal.flush()
}

/** A step is a message or a tool, as a person sees them. */
const endsStep = ({ type }: StampedEvent): boolean =>
  type === 'message_end' || type === 'tool_execution_end' || type === 'agent_end'

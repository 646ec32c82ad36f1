import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Agent } from '../../src/agents/agent.ts'
import { agentOfStream, knownAgents } from '../../src/agents/known-agents.ts'
import { type CreateStreamOptions, createStream } from '../../src/agents/stream.ts'
import type { AgentEvent } from '../../src/events/types.ts'
import { nodeTextReader } from '../../src/process/node-text-reader.ts'

/** Every agent, loaded. */
export const loadedAgents: ReadonlyMap<string, Agent> = new Map(
  await Promise.all(knownAgents.map(async ({ name, load }) => [name, await load()] as const)),
)

/** One agent by name. */
export const loadedAgent = (name: string): Agent => {
  const found = loadedAgents.get(name)
  if (!found) throw new Error(`no agent ${name}`)
  return found
}

const root = new URL('../../recordings/', import.meta.url).pathname

export interface Recording {
  /** `<stream>/<version>/<name>`; most streams have the name of their agent. */
  name: string
  agent: string
  bytes: () => Buffer
}

/** Every recording in the repository. */
export const recordings: readonly Recording[] = globSync('*/*/*.ndjson', { cwd: root })
  .filter((file) => !file.endsWith('.stdin.ndjson'))
  .sort()
  .map((file) => {
    const agent = agentOfStream(file.split('/')[0] ?? '')
    if (agent === undefined) throw new Error(`no decoder for ${file}`)
    const name = file.replace(/\.ndjson$/, '')
    return { name, agent, bytes: () => readFileSync(join(root, file)) }
  })

/** One recording by name. */
export const recording = (name: string): Recording => {
  const found = recordings.find((each) => each.name === name)
  if (!found) throw new Error(`no recording ${name}`)
  return found
}

/** The events of some chunks, including the end of the stream. */
export const decodeChunks = (
  agent: Recording['agent'],
  chunks: Iterable<Uint8Array>,
  options: CreateStreamOptions = {},
): AgentEvent[] => {
  const stream = createStream(loadedAgent(agent), { reader: nodeTextReader, ...options })
  const events: AgentEvent[] = []
  for (const chunk of chunks) events.push(...stream.push(chunk))
  events.push(...stream.end())
  return events
}

/** The events of some lines, each given as a value. */
export const decodeLines = (agent: Recording['agent'], lines: readonly unknown[]): AgentEvent[] => {
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  return decodeChunks(agent, [Buffer.from(text)])
}

/** Cuts bytes at the given positions. */
export const cutAt = (bytes: Uint8Array, positions: readonly number[]): Uint8Array[] => {
  const cuts = [...new Set(positions.map((each) => each % (bytes.length + 1)))].sort(
    (a, b) => a - b,
  )
  return [0, ...cuts].map((from, index) => bytes.subarray(from, cuts[index] ?? bytes.length))
}

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { claude } from '../../src/agents/claude/index.ts'
import { gemini } from '../../src/agents/gemini/index.ts'
import { pi } from '../../src/agents/pi/index.ts'
import { type CreateStreamOptions, createStream } from '../../src/agents/stream.ts'
import type { AgentEvent } from '../../src/events/types.ts'
import { nodeTextReader } from '../../src/process/node-text-reader.ts'

const agents = { pi, claude, gemini }

const isDecoded = (name: string): name is Recording['agent'] => Object.hasOwn(agents, name)

const root = new URL('../../recordings/', import.meta.url).pathname

export interface Recording {
  /** `<agent>/<version>/<name>` */
  name: string
  agent: keyof typeof agents
  bytes: () => Buffer
}

/** Every recording in the repository. */
export const recordings: readonly Recording[] = globSync('*/*/*.ndjson', { cwd: root })
  .filter((file) => !file.endsWith('.stdin.ndjson'))
  .sort()
  .map((file) => {
    const agent = file.split('/')[0] ?? ''
    if (!isDecoded(agent)) throw new Error(`no decoder for ${file}`)
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
  const stream = createStream(agents[agent], { reader: nodeTextReader, ...options })
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

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Decoder } from '../../src/agents/agent.ts'
import type { AgentEvent } from '../../src/events/types.ts'
import { fileSources } from '../../src/watch/sources/file-sources.ts'
import { checkStream } from '../support/check-stream.ts'
import { changedLines, lineChange } from '../support/line-changes.ts'
import { recordings } from '../support/recordings.ts'

const samples = recordings.filter(
  ({ name }) =>
    /^(?:claude|pi|codex|gemini|qwen|copilot)-session-file\//.test(name) &&
    !name.endsWith('-stream'),
)

const decoders = new Map(
  await Promise.all(
    fileSources.map(async ({ agent, loadDecoder }) => [agent, await loadDecoder()] as const),
  ),
)

const decoderOf = (agent: string): Decoder => {
  const create = decoders.get(agent)
  if (!create) throw new Error(`no decoder for ${agent}`)
  return create()
}

const decodeAll = (agent: string, lines: readonly unknown[]): AgentEvent[] => {
  const decoder = decoderOf(agent)
  return [...lines.flatMap((line) => decoder.push(line)), ...decoder.end()]
}

const linesOf = (bytes: Buffer): string[] => bytes.toString('utf8').trimEnd().split('\n')
const parsed = (line: string): unknown => JSON.parse(line || 'null')

describe('lines of session files that are lost, repeated, moved or different', () => {
  test.each(samples.map(({ name }) => name))('%s: the events are valid and in order', (name) => {
    const sample = samples.find((each) => each.name === name)
    const lines = linesOf(sample?.bytes() ?? Buffer.alloc(0))
    fc.assert(
      fc.property(fc.array(lineChange, { minLength: 1, maxLength: 3 }), (steps) => {
        checkStream(decodeAll(sample?.agent ?? '', changedLines(lines, steps).map(parsed)))
      }),
      { numRuns: 60 },
    )
  })
})

test.each(samples.map(({ name }) => name))('%s: no line is unknown', (name) => {
  const sample = samples.find((each) => each.name === name)
  const lines = linesOf(sample?.bytes() ?? Buffer.alloc(0))
  const events = decodeAll(sample?.agent ?? '', lines.map(parsed))
  checkStream(events)
  expect(events.filter(({ type }) => type === 'raw')).toEqual([])
})

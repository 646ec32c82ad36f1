import fc from 'fast-check'
import { describe, test } from 'vitest'
import { checkStream } from '../support/check-stream.ts'
import { changedLines, lineChange } from '../support/line-changes.ts'
import { decodeChunks, recording } from '../support/recordings.ts'

const samples = [
  'codex/0.166.0/shell-tool-slow',
  'codex-app-server/0.166.0/approval-accept',
  'codex-app-server/0.166.0/shell-tool',
  'opencode/1.18.33/multi-turn',
  'opencode/1.18.33/context-exceeded-compact',
  'opencode-serve/1.18.33/multi-turn',
  'gemini/0.61.0/multi-turn',
  'qwen/0.24.4/subagent',
  'qwen/0.24.4/stdin-permission-deny',
  'copilot/1.0.102/file-edit',
  'cline/3.0.65/multi-turn',
  'acp/gemini-0.61.0/allow',
  'acp/opencode-1.18.33/load',
]

describe('lines that are lost, repeated, moved or different', () => {
  test.each(samples)('%s: the events are valid and in order', (name) => {
    const { agent, bytes } = recording(name)
    const lines = bytes().toString('utf8').trimEnd().split('\n')
    fc.assert(
      fc.property(fc.array(lineChange, { minLength: 1, maxLength: 3 }), (steps) => {
        const changed = changedLines(lines, steps)
        checkStream(decodeChunks(agent, [Buffer.from(`${changed.join('\n')}\n`)]))
      }),
      { numRuns: 150 },
    )
  })
})

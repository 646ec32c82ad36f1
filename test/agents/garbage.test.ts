import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createStream } from '../../src/agents/index.ts'
import { pi } from '../../src/agents/pi/index.ts'
import { cutAt, decodeChunks, recording } from '../support/recordings.ts'

const samples = [
  'pi/0.73.1/text-only',
  'pi/1.5.0/tool-fail-kinds',
  'claude/2.1.325/partial-agent',
  'claude/2.0.77/bash',
  'codex/0.166.0/shell-tool-slow',
  'codex-app-server/0.166.0/approval-accept',
  'opencode/1.18.33/multi-turn',
  'opencode-serve/1.18.33/shell-tool',
  'gemini/0.61.0/multi-turn',
  'qwen/0.24.4/shell-tool',
  'copilot/1.0.102/shell-tool',
  'copilot/1.0.102/stream-drop',
  'cline/3.0.65/multi-turn',
  'cline/3.0.65/shell-tool-fail',
  'acp/opencode-1.18.33/shell',
  'acp/gemini-0.61.0/shell',
  'codex-session-file/0.166.0/parallel',
  'gemini-session-file/0.61.0/parallel',
  'qwen-session-file/0.24.4/parallel',
  'copilot-session-file/1.0.102/sub',
]

/** Lines that no agent writes: broken JSON, other JSON, control characters, half a line. */
const garbage = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1 }).map((text) => text.replaceAll('\n', ' ')),
  fc.json().map((text) => text.replaceAll('\n', ' ')),
  fc.constantFrom(
    '{"type":"message_update","assistantMessageEvent":{"type":"text_delta",',
    '{',
    'null',
    '[]',
  ),
  fc.constantFrom('{"type":"never_heard_of"}', '{"type":42}', '{}', '"text"', '\u0000'),
)

const isNoise = (type: string) => type === 'raw' || type === 'error'

describe.each(samples)('%s', (name) => {
  const { agent, bytes } = recording(name)
  const lines = bytes().toString('utf8').trimEnd().split('\n')
  const expected = decodeChunks(agent, [bytes()]).filter(({ type }) => !isNoise(type))

  test('garbage between the lines is reported and changes no other event', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(lines.length), garbage), { maxLength: 6 }), (added) => {
        const mixed = [...lines]
        for (const [at, line] of added.toSorted(([a], [b]) => b - a)) mixed.splice(at, 0, line)
        const events = decodeChunks(agent, [Buffer.from(`${mixed.join('\n')}\n`)])
        const noise = events.filter(({ type }) => isNoise(type))
        expect(events.filter(({ type }) => !isNoise(type))).toEqual(expected)
        const bad = added.filter(([, line]) => line.trim() !== '' && !isEmptyList(line))
        expect(noise.length).toBeGreaterThanOrEqual(bad.length)
      }),
      { numRuns: 60 },
    )
  })

  test('everything that is open is closed, wherever the stream stops', () => {
    const whole = bytes()
    fc.assert(
      fc.property(fc.nat(whole.length), (length) => {
        const events = decodeChunks(agent, [whole.subarray(0, length)])
        const count = (type: string) => events.filter((event) => event.type === type).length
        expect(count('agent_end')).toBe(count('agent_start'))
        expect(count('message_end')).toBe(count('message_start'))
        expect(count('tool_execution_end')).toBe(count('tool_call'))
      }),
      { numRuns: 60 },
    )
  })
})

/** One short recording of every stream. */
const shortest = [
  'pi/0.73.1/text-only',
  'claude/2.0.77/bash',
  'codex/0.166.0/shell-tool-fail',
  'codex-app-server/0.166.0/tool-unknown',
  'opencode/1.18.33/shell-tool-fail',
  'opencode-serve/1.18.33/api-error-400',
  'gemini/0.61.0/shell-tool-fail',
  'qwen/0.24.4/text-only',
  'copilot/1.0.102/text-only',
  'cline/3.0.65/shell-tool-fail',
  'acp/gemini-0.61.0/text',
]

test.each(shortest)('%s: cut before any byte, it decodes to the same events', (name) => {
  const { agent, bytes } = recording(name)
  const whole = bytes().subarray(0, 6000)
  const expected = JSON.stringify(decodeChunks(agent, [whole]))
  for (let at = 1; at < whole.length; at += 1)
    if (JSON.stringify(decodeChunks(agent, cutAt(whole, [at]))) !== expected)
      expect.unreachable(`a cut before byte ${at} changes the events`)
})

/** An empty list has no lines to report. */
const isEmptyList = (line: string) => /^\s*\[\s*\]\s*$/.test(line)

test('a line that is nested too deep is reported and skipped', () => {
  const deep = `{"type":"nope","x":${'['.repeat(20_000)}${']'.repeat(20_000)}}`
  const stream = createStream(pi)
  const lines = ['{"type":"agent_start"}', deep, '{"type":"agent_end","messages":[]}']
  const events = [...stream.push(Buffer.from(`${lines.join('\n')}\n`)), ...stream.end()]
  expect(events.map((event) => event.type)).toEqual([
    'session_start',
    'agent_start',
    'error',
    'agent_end',
  ])
  expect(events[2]).toMatchObject({ code: 'line_too_deep', bytes: deep.length })
  expect(stream.counts()).toMatchObject({ malformed: 1 })
  expect(() => JSON.stringify(events)).not.toThrow()
})

test('a line with too many values is reported and skipped', () => {
  const many = Array.from({ length: 300_000 }, (_, index) => `"k${index}":1`).join(',')
  const line = `{"type":"tool_execution_start","toolCallId":"t","toolName":"x","args":{${many}}}`
  const stream = createStream(pi)
  const lines = ['{"type":"agent_start"}', line, '{"type":"agent_end","messages":[]}']
  const events = [...stream.push(Buffer.from(`${lines.join('\n')}\n`)), ...stream.end()]
  expect(events.map((event) => event.type)).toEqual([
    'session_start',
    'agent_start',
    'error',
    'agent_end',
  ])
  expect(events[2]).toMatchObject({ code: 'line_too_complex', bytes: line.length })
})

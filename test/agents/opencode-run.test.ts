import { expect, test } from 'vitest'
import { openCodeCommand } from '../../src/agents/opencode/command.ts'
import { decoderOf, ofType, textOf } from '../support/decoded.ts'

const decode = decoderOf('opencode')
const sessionID = 'ses_1'
const part = (type: string, fields: object, messageID = 'msg_1') => ({
  sessionID,
  part: { type, sessionID, messageID, ...fields },
})
const start = (messageID?: string) => ({
  type: 'step_start',
  ...part('step-start', { id: `start ${messageID}` }, messageID),
})
const text = (id: string, words: string, messageID?: string, more: object = {}) => ({
  type: 'text',
  ...part('text', { id, text: words, time: { start: 1, end: 2 }, ...more }, messageID),
})
const finish = (reason: string, messageID?: string, cost = 0.5) => ({
  type: 'step_finish',
  ...part('step-finish', { id: `end ${messageID}`, reason, cost, tokens }, messageID),
})
const tokens = { input: 10, output: 5, reasoning: 2, cache: { read: 3, write: 0 } }
const tool = (state: object, name = 'bash') => ({
  type: 'tool_use',
  ...part('tool', { id: 'prt_tool', callID: 'call_1', tool: name, state }),
})
const error = (name: string, message: string) => ({
  type: 'error',
  sessionID,
  error: { name, data: { message } },
})

test('errors that are not fatal: a run goes on after an error', () => {
  const events = decode(error('APIError', 'busy'), start(), text('p', 'Done.'), finish('stop'))
  expect(ofType(events, 'session_update')[0]?.notice).toEqual({ level: 'error', text: 'busy' })
  expect(ofType(events, 'agent_end')).toMatchObject([{ stopReason: 'stop' }])
})

test('an error as the last line fails the run', () => {
  const events = decode(error('APIError', 'no credit'))
  expect(ofType(events, 'agent_end')).toMatchObject([
    { stopReason: 'error', errorMessage: 'no credit' },
  ])
})

test('text repeated by a silent retry: the first attempt is withdrawn', () => {
  const events = decode(start(), text('a', 'Half'), start(), text('b', 'Whole'), finish('stop'))
  expect(textOf(events)).toBe('Whole')
  expect(ofType(events, 'message_withdrawn')).toMatchObject([{ reason: 'retried' }])
})

test('a part that is printed twice is shown once', () => {
  const events = decode(start(), text('a', 'Once'), text('a', 'Once'), finish('stop'))
  expect(textOf(events)).toBe('Once')
})

test('a tool that is only printed at its end has a start, an end and a result', () => {
  const state = {
    status: 'completed',
    input: { command: 'false' },
    output: '',
    metadata: { exit: 3 },
  }
  const events = decode(start(), tool(state), finish('tool-calls'))
  expect(ofType(events, 'tool_execution_start')[0]?.args).toEqual({ command: 'false' })
  expect(ofType(events, 'tool_execution_end')[0]).toMatchObject({ exitCode: 3, isError: true })
  expect(ofType(events, 'tool_result')[0]?.message.isError).toBe(true)
})

test('an invalid call that OpenCode calls completed has its real name and failed', () => {
  const state = {
    status: 'completed',
    title: 'Invalid Tool',
    input: { tool: 'nope', error: 'no such tool' },
    output: 'The arguments are invalid',
  }
  const events = decode(start(), tool(state, 'invalid'), finish('tool-calls'))
  expect(ofType(events, 'tool_execution_end')[0]).toMatchObject({ toolName: 'nope', isError: true })
})

test('nobody was asked: a call that `run` refuses by itself fails the run, and says what to do', () => {
  const refusal = 'The user rejected permission to use this specific tool call.'
  const state = { status: 'error', input: { command: 'ls' }, error: refusal }
  const events = decode(start(), tool(state), tool(state), finish('tool-calls'))
  const [error, ...others] = ofType(events, 'error')
  expect(error).toMatchObject({ code: 'approval_unavailable', fatal: false })
  expect(error?.message).toMatch(/call of bash.*cannot ask anybody.*sluice chat opencode.*--auto/)
  expect(others).toEqual([])
  expect(ofType(events, 'agent_end')).toEqual([
    { type: 'agent_end', stopReason: 'error', errorMessage: error?.message },
  ])
  // The result is what the model saw.
  expect(ofType(events, 'tool_result')[0]?.message.content).toEqual([
    { type: 'text', text: refusal },
  ])
})

test('a run that goes on after a refused call ends as its last step', () => {
  const state = { status: 'error', input: {}, error: 'The user rejected permission' }
  const events = decode(
    ...[start('msg_1'), tool(state), finish('tool-calls', 'msg_1')],
    ...[start('msg_2'), text('a', 'Done.', 'msg_2'), finish('stop', 'msg_2')],
  )
  expect(ofType(events, 'error')).toEqual([])
  expect(ofType(events, 'agent_end')).toMatchObject([{ stopReason: 'stop' }])
})

test('misplaced text: the summary of a compaction is no answer', () => {
  const goOn = { synthetic: true, metadata: { compaction_continue: true } }
  const events = decode(
    ...[error('ContextOverflowError', 'too long'), start('msg_1'), text('a', 'Summary', 'msg_1')],
    ...[finish('stop', 'msg_1'), text('b', 'Continue', 'msg_2', goOn)],
    ...[start('msg_3'), text('c', 'Answer', 'msg_3'), finish('stop', 'msg_3')],
  )
  expect(textOf(events)).toBe('Answer')
  expect(ofType(events, 'compaction_end')).toMatchObject([{ summary: 'Summary' }])
})

test('misplaced text: a summary that nothing announced is withdrawn', () => {
  const goOn = { synthetic: true, metadata: { compaction_continue: true } }
  const events = decode(
    ...[start('msg_1'), text('a', 'Summary', 'msg_1'), finish('stop', 'msg_1')],
    ...[text('b', 'Continue', 'msg_2', goOn)],
    ...[start('msg_3'), text('c', 'Answer', 'msg_3'), finish('stop', 'msg_3')],
  )
  expect(ofType(events, 'message_withdrawn')).toMatchObject([{ messageId: 'msg_1' }])
  expect(ofType(events, 'compaction_end')).toMatchObject([{ summary: 'Summary' }])
})

test('exit 0 without an answer: a rejected call ends the run, a cut stream interrupts it', () => {
  const rejected = { status: 'error', input: {}, error: 'The user rejected permission to use it.' }
  const ends = (events: ReturnType<typeof decode>) => ofType(events, 'agent_end')
  expect(ends(decode(start(), tool(rejected), finish('tool-calls')))).toMatchObject([
    { stopReason: 'error' },
  ])
  expect(ends(decode(start(), finish('tool-calls')))).toMatchObject([{ interrupted: true }])
})

test('the output includes reasoning, and a cost of zero is no cost', () => {
  const usage = (cost: number) =>
    ofType(decode(start(), finish('stop', undefined, cost)), 'turn_end')[0]?.usage
  expect(usage(0.5)).toMatchObject({ output: 7, reasoning: 2, cost: { total: 0.5 } })
  expect(usage(0)?.cost).toBeUndefined()
})

test('a prompt is one argument per word, so that OpenCode adds no quotes to it', () => {
  const words = (prompt: string) => openCodeCommand(prompt).slice(4)
  expect(words('say "hi"  to 007')).toEqual(['say', '"hi"', '', 'to', '007'])
  expect(words('explain -m and --x=1')).toEqual(['explain', '--', '-m', 'and', '--x=1'])
  expect(words('-m 5')).toEqual([' -m 5'])
})

import { expect, test } from 'vitest'
import type { AgentEvent, EventOf, EventType } from '../../../src/events/types.ts'
import { decodeChunks, recording } from '../../support/recordings.ts'

const eventsOf = (name: string): AgentEvent[] =>
  decodeChunks('acp', [recording(`acp/${name}`).bytes()])

const isOf =
  <Type extends EventType>(type: Type) =>
  (event: AgentEvent): event is EventOf<Type> =>
    event.type === type

const textsOf = (events: readonly AgentEvent[]): string[] =>
  events
    .filter(isOf('message_end'))
    .flatMap(({ message }) => message.content)
    .flatMap((block) =>
      block.type === 'text' && typeof block.text === 'string' ? [block.text] : [],
    )

const gemini = 'gemini-0.61.0'
const opencode = 'opencode-1.18.33'
const copilot = 'copilot-1.0.102'
const codex = 'codex-acp-0.16.0'
const claude = 'claude-acp-0.99.1'
const qwen = 'qwen-0.24.4'

test('a permission request before the tool call opens the call', () => {
  const events = eventsOf(`${gemini}/shell`)
  const types = events.map(({ type }) => type)
  expect(types.indexOf('tool_call')).toBeLessThan(types.indexOf('approval_request'))
  expect(events.find(isOf('tool_call'))).toMatchObject({ toolName: 'run_shell_command' })
})

test('updates before the answer that names the session do not come before session_start', () => {
  const [first, second] = eventsOf(`${copilot}/text`)
  expect(first).toMatchObject({ type: 'session_start', agentVersion: '1.0.102' })
  expect(first).toHaveProperty('commands')
  expect(second?.type).not.toBe('session_start')
})

test.each([opencode, claude, qwen])('%s: arguments that come late are in the call', (agent) => {
  const events = eventsOf(`${agent}/${agent === qwen ? 'allow-default' : 'allow'}`)
  const call = events.find(isOf('tool_call'))
  expect(call?.input).toMatchObject({ command: 'touch allowed.txt; echo allowed' })
})

test.each([
  [claude, 'Bash'],
  [opencode, 'bash'],
  [copilot, 'execute'],
])('%s: the name of the tool is its own, or its kind', (agent, name) => {
  expect(eventsOf(`${agent}/allow`).find(isOf('tool_call'))?.toolName).toBe(name)
})

test.each([
  [opencode, 3],
  [copilot, 3],
  [codex, 3],
  [claude, 3],
  [qwen, 3],
  [gemini, undefined],
])('%s: a command that exits with 3 has that exit code, if it is reported', (agent, code) => {
  const end = eventsOf(`${agent}/fail`).find(isOf('tool_execution_end'))
  expect(end).toBeDefined()
  expect(end?.exitCode).toBe(code)
})

test('cumulative snapshots of output become deltas', () => {
  const output = eventsOf(`${opencode}/steer`).filter(isOf('tool_execution_update'))
  expect(output.map(({ outputDelta }) => outputDelta).join('')).toBe(
    'tick 1\ntick 2\ntick 3\ntick 4\ntick 5\ntick 6\n',
  )
})

test.each([
  ['codex-acp-2.6.0', 'before\n'],
  ['pi-acp-0.0.34', 'before\n\n\nCommand exited with code 3'],
])('%s: output of a terminal that only the agent has is shown', (agent, output) => {
  const events = eventsOf(`${agent}/fail`)
  const live = events.filter(isOf('tool_execution_update')).map(({ outputDelta }) => outputDelta)
  expect(live.join('')).toBe(output)
  expect(events.find(isOf('tool_result'))?.message).toMatchObject({
    isError: true,
    content: [{ type: 'text', text: output }],
  })
})

test('a banner before the answer is no message', () => {
  const events = eventsOf('pi-acp-0.0.34/shell')
  expect(textsOf(events)).toEqual(['Running it.', 'It ran.'])
  const notices = events.filter(isOf('session_update')).flatMap(({ notice }) => notice ?? [])
  expect(notices).toEqual([{ level: 'info', text: 'pi v0.87.1' }])
})

test('a model that is listed once for each thinking level has its own name', () => {
  const [start] = eventsOf('codex-acp-2.6.0/fail')
  expect(start).toMatchObject({ model: 'gpt-5.5', thinkingLevel: 'medium' })
})

test('a cost of zero is no cost', () => {
  const reported = eventsOf(`${opencode}/bad400`)
    .filter(isOf('session_update'))
    .flatMap((update) => update.reported ?? [])
  expect(reported.filter(({ costUsd }) => costUsd !== undefined)).toEqual([])
})

test('a command that the agent never ends is closed with the run', () => {
  const [result] = eventsOf(`${codex}/steer`).filter(isOf('tool_result'))
  expect(result?.message).toMatchObject({ interrupted: true, isError: true })
})

test('an error that is only a text before a good end fails the run', () => {
  expect(eventsOf(`${copilot}/bad400`).at(-1)).toMatchObject({
    type: 'agent_end',
    stopReason: 'error',
    errorMessage: '400 fake bad request',
  })
})

test('the text of an error is found in `message`, in `data`, or in JSON', () => {
  const errorIn = (agent: string) => {
    const events = eventsOf(`${agent}/bad400`)
    return events.find(isOf('error'))?.message ?? events.find(isOf('agent_end'))?.errorMessage
  }
  expect(errorIn(qwen)).toContain('fake bad request')
  expect(errorIn(gemini)).toBe('Error 400: fake bad request')
  expect(errorIn(opencode)).toBe('fake bad request')
})

test('a mode that is reported as a text is no message', () => {
  const events = eventsOf(`${gemini}/settings`)
  expect(textsOf(events)).toEqual(['Hello from the scripted model.'])
  expect(events.filter(isOf('session_update'))).toContainEqual({
    type: 'session_update',
    permissionMode: 'autoEdit',
  })
})

test.each([opencode, copilot, codex, claude])(
  '%s: a loaded session shows its text once',
  (agent) => {
    const texts = textsOf(eventsOf(`${agent}/load`))
    expect(new Set(texts).size).toBe(texts.length)
  },
)

test('each agent counts other tokens, and none twice', () => {
  const last = (name: string) =>
    eventsOf(name)
      .filter(isOf('session_update'))
      .findLast((each) => each.reported)
  expect(last(`${gemini}/shell`)?.reported?.sinceLast).toEqual({
    'gemini-2.5-flash': { input: 2400, output: 68 },
  })
  expect(last(`${copilot}/shell`)?.reported).toEqual({
    byModel: { unknown: { input: 2000, output: 68, cacheRead: 400, cacheWrite: 0 } },
  })
  expect(last(`${opencode}/shell`)?.reported).toEqual({
    byModel: {},
    costUsd: 0.00714,
    counts: 'conversation',
  })
  const calls = eventsOf(`${qwen}/allow-default`).filter(isOf('message_end'))
  expect(calls.map(({ message }) => message.usage)).toEqual([
    { input: 1000, output: 34, cacheRead: 200 },
    { input: 1000, output: 34, cacheRead: 200 },
  ])
})

test('a plan is the to-do list', () => {
  expect(eventsOf(`${codex}/todo`).filter(isOf('session_update'))).toContainEqual({
    type: 'session_update',
    todos: [
      { text: 'one', state: 'completed', priority: 'medium' },
      { text: 'two', state: 'in_progress', priority: 'medium' },
    ],
  })
})

test('an edit has the diff of the file', () => {
  for (const agent of [gemini, opencode, codex, claude]) {
    const results = eventsOf(`${agent}/edit`).filter(isOf('tool_result'))
    expect(results.at(-1)?.message.details).toMatchObject({
      diff: expect.stringContaining('-world\n+there'),
    })
  }
})

test('an agent that wants a login says so', () => {
  expect(eventsOf('cline-3.0.65/auth-required').at(-1)).toMatchObject({ type: 'error' })
})

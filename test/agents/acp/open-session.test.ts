import { expect, test } from 'vitest'
import { connectRig, initialized } from '../../support/acp-rig.ts'

test('an agent that needs a login refuses the prompt, and says how to log in', () => {
  const { connection, replies, answer, receive, last } = connectRig()
  connection.send({ type: 'prompt', id: 'c1', text: 'hi' })
  answer(initialized())
  const error = { code: -32_000, message: 'Authentication required' }
  receive({ id: last().id, error })
  expect(replies).toMatchObject([{ id: 'c1', ok: false }])
  expect(replies[0]?.error).toContain('Run `agent login`')

  // After the login, the next prompt opens the session.
  connection.send({ type: 'prompt', id: 'c2', text: 'hi' })
  expect(last()).toMatchObject({ method: 'session/new' })
  answer({ sessionId: 's1' })
  expect(replies.at(-1)).toEqual({ id: 'c2', ok: true })
})

test('a session that the agent does not have any more becomes a new conversation', () => {
  const { answer, receive, last, events } = connectRig({ resume: 'old' })
  answer(initialized({ loadSession: true, sessionCapabilities: { resume: {} } }))
  expect(last()).toMatchObject({ method: 'session/resume', params: { sessionId: 'old' } })
  receive({ id: last().id, error: { code: -32_603, message: 'Internal error' } })
  expect(last()).toMatchObject({ method: 'session/load', params: { sessionId: 'old' } })
  receive({ id: last().id, error: { code: -32_002, message: 'Resource not found' } })
  expect(last()).toMatchObject({ method: 'session/new' })
  answer({ sessionId: 'new' })
  expect(events).toMatchObject([
    { type: 'session_start', nativeId: 'new' },
    { type: 'session_update', reset: true, notice: { level: 'warning' } },
    { type: 'session_update', capabilities: { resume: true } },
  ])
})

test('a session is not loaded by an agent that loses it then: a new one starts', () => {
  const { answer, last, events } = connectRig({ resume: 'old' })
  answer(initialized({ loadSession: true }, 'gemini-cli'))
  expect(last()).toMatchObject({ method: 'session/new' })
  answer({ sessionId: 'new' })
  expect(events).toMatchObject([
    { type: 'session_start', nativeId: 'new' },
    { type: 'session_update', reset: true, notice: { level: 'warning' } },
    { type: 'session_update', capabilities: { resume: false } },
  ])
})

test('what a loaded session repeats is not shown again', () => {
  const { connection, answer, receive, events } = connectRig({ resume: 'old' })
  answer(initialized({ loadSession: true }))
  const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'Old.' } }
  receive({ method: 'session/update', params: { sessionId: 'old', update } })
  answer({})
  expect(events.map(({ type }) => type)).toEqual(['session_start', 'session_update'])
  expect(events[0]).toMatchObject({ nativeId: 'old' })
  connection.send({ type: 'prompt', id: 'c1', text: 'hi' })
  receive({ method: 'session/update', params: { sessionId: 'old', update } })
  expect(events.at(-1)).toMatchObject({ type: 'message_update' })
})

test('a fork is made only by an agent that offers it', () => {
  const forking = connectRig({ resume: 'old', fork: true })
  forking.answer(initialized({ sessionCapabilities: { fork: {} } }))
  expect(forking.last()).toMatchObject({ method: 'session/fork', params: { sessionId: 'old' } })
  forking.answer({ sessionId: 'copy' })
  expect(forking.events[0]).toMatchObject({ nativeId: 'copy' })

  const other = connectRig({ resume: 'old', fork: true })
  other.connection.send({ type: 'prompt', id: 'c1', text: 'hi' })
  other.answer(initialized({ loadSession: true }))
  expect(other.replies).toEqual([
    { id: 'c1', ok: false, error: 'Agent cannot fork a conversation.' },
  ])
})

const modes = {
  currentModeId: 'default',
  availableModes: [
    { id: 'default', name: 'Default' },
    { id: 'plan', name: 'Plan' },
  ],
}

test('the mode of the start is set before the first prompt, and prompts fail without it', () => {
  const rig = connectRig({ start: { mode: 'plan' } })
  rig.connection.send({ type: 'prompt', id: 'c1', text: 'hi' })
  rig.answer(initialized())
  rig.answer({ sessionId: 's1', modes })
  expect(rig.last()).toMatchObject({ method: 'session/set_mode', params: { modeId: 'plan' } })
  expect(rig.replies).toEqual([])
  rig.answer({})
  expect(rig.last()).toMatchObject({ method: 'session/prompt' })
  expect(rig.events).toContainEqual({ type: 'session_update', permissionMode: 'plan' })

  const none = connectRig({ start: { mode: 'yolo' } })
  none.connection.send({ type: 'prompt', id: 'c1', text: 'hi' })
  none.answer(initialized())
  none.answer({ sessionId: 's1', modes })
  expect(none.replies).toMatchObject([{ ok: false }])
})

test('modes and models are set by their own methods, or as options of the agent', () => {
  const own = connectRig()
  own.answer(initialized())
  const models = { currentModelId: 'a', availableModels: [{ modelId: 'a' }, { modelId: 'big-b' }] }
  own.answer({ sessionId: 's1', modes, models })
  expect(own.connection.models?.find?.('big', [])).toBe('big-b')
  own.connection.send({ type: 'setModel', id: 'c1', model: 'big-b' })
  expect(own.last()).toMatchObject({ method: 'session/set_model', params: { modelId: 'big-b' } })
  own.answer({})
  expect(own.replies.at(-1)).toEqual({ id: 'c1', ok: true })

  const option = connectRig()
  option.answer(initialized())
  const options = [
    { value: 'build', name: 'Build' },
    { value: 'plan', name: 'Plan' },
  ]
  const configOption = {
    id: 'mode',
    name: 'Mode',
    category: 'mode',
    currentValue: 'build',
    options,
  }
  option.answer({ sessionId: 's1', configOptions: [configOption] })
  option.connection.send({ type: 'setMode', id: 'c1', mode: 'plan' })
  expect(option.last()).toMatchObject({
    method: 'session/set_config_option',
    params: { sessionId: 's1', configId: 'mode', value: 'plan' },
  })
})

test('MCP servers and directories of the start are passed on', () => {
  const { answer, last } = connectRig({
    start: {
      directories: ['/other'],
      mcpServers: {
        files: { command: 'mcp-files', env: { A: '1' } },
        web: { type: 'http', url: 'https://mcp.example' },
      },
    },
  })
  const sessionCapabilities = { additionalDirectories: {} }
  answer(initialized({ mcpCapabilities: { http: true }, sessionCapabilities }))
  expect(last().params).toEqual({
    cwd: '/project',
    additionalDirectories: ['/other'],
    mcpServers: [
      { name: 'files', command: 'mcp-files', args: [], env: [{ name: 'A', value: '1' }] },
      { name: 'web', type: 'http', url: 'https://mcp.example', headers: [] },
    ],
  })
})

test('an MCP server over a transport that the agent does not announce is refused', () => {
  const mcpServers = { web: { type: 'sse', url: 'https://mcp.example' } } as const
  const { connection, answer, replies, written } = connectRig({ start: { mcpServers } })
  connection.send({ type: 'prompt', id: 'c1', text: 'hi' })
  answer(initialized({ mcpCapabilities: { http: true } }))
  expect(replies).toMatchObject([{ ok: false, error: expect.stringContaining('“web”') }])
  expect(written.map(({ method }) => method)).toEqual(['initialize'])
})

test('directories that the agent does not understand are not sent, and a notice says so', () => {
  const { answer, last, events } = connectRig({ start: { directories: ['/other'] } })
  answer(initialized())
  expect(last().params).toEqual({ cwd: '/project', mcpServers: [] })
  answer({ sessionId: 's1' })
  expect(JSON.stringify(events)).toContain('does not support further directories')
})

test('the advice on how to log in is that of the agent, where it is known', () => {
  const { connection, replies, answer, receive, last } = connectRig({}, 'Run `some login`.')
  connection.send({ type: 'prompt', id: 'c1', text: 'hi' })
  answer(initialized())
  receive({ id: last().id, error: { code: -32_000, message: 'Authentication required' } })
  expect(replies[0]?.error).toContain('needs a login (Authentication required). Run `some login`.')
})

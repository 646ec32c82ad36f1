import { expect, test } from 'vitest'
import { codex } from '../../src/agents/codex/index.ts'
import { scriptOf } from '../../src/agents/codex/shell-command.ts'
import { createLedger } from '../../src/ledger/ledger.ts'
import { ofType } from '../support/decoded.ts'
import { decodeLines, recording } from '../support/recordings.ts'

const started = [{ type: 'thread.started', thread_id: 't' }, { type: 'turn.started' }]
const message = (id: string, text: string) => ({
  type: 'item.completed',
  item: { id, type: 'agent_message', text },
})
const usage = (input: number) => ({
  type: 'turn.completed',
  usage: { input_tokens: input, cached_input_tokens: 200, output_tokens: 34 },
})
const reconnecting = { type: 'error', message: 'Reconnecting... 1/2 (stream disconnected)' }

test('error events that are not fatal: a reconnection precedes a success', () => {
  const events = decodeLines('codex', [...started, reconnecting, message('a', 'Ok'), usage(1200)])
  expect(ofType(events, 'auto_retry_start')).toMatchObject([{ attempt: 1, maxAttempts: 2 }])
  expect(ofType(events, 'error')).toEqual([])
  expect(events.at(-1)).toMatchObject({ type: 'agent_end', stopReason: 'stop' })
})

test('error events that are not fatal: an item of the type `error` is a warning', () => {
  const warning = { id: 'item_0', type: 'error', message: 'Unknown model' }
  const line = { type: 'item.completed', item: warning }
  const events = decodeLines('codex', [started[0], line, started[1], usage(1200)])
  expect(ofType(events, 'session_update')).toContainEqual({
    type: 'session_update',
    notice: { level: 'warning', text: 'Unknown model' },
  })
  expect(events.at(-1)).toMatchObject({ stopReason: 'stop' })
})

test('a fatal error is printed twice and shown once', () => {
  const lines = [
    { type: 'error', message: 'It broke' },
    { type: 'turn.failed', error: { message: 'It broke' } },
  ]
  const events = decodeLines('codex', [...started, ...lines])
  expect(JSON.stringify(events).match(/It broke/g)).toHaveLength(1)
  expect(events.at(-1)).toMatchObject({ stopReason: 'error', errorMessage: 'It broke' })
})

test('text repeated by a retry: the messages of the failed call are withdrawn', () => {
  const partial = message('item_0', 'Partial')
  const lines = [...started, partial, reconnecting, message('item_1', 'Partial'), usage(1200)]
  const events = decodeLines('codex', lines)
  const [first] = ofType(events, 'message_end')
  expect(ofType(events, 'message_withdrawn')).toMatchObject([
    { messageId: first?.messageId, reason: 'retried' },
  ])
  expect(ofType(events, 'message_end')).toHaveLength(2)
})

test('duplicate JSON key: the id of a web search is that of the provider', async () => {
  const { bytes } = recording('codex/0.166.0/web-search')
  expect(bytes().toString()).toContain('"id":"item_0","type":"web_search","id":"ws_1"')
  const decoder = codex.createDecoder()
  const lines = bytes().toString().trim().split('\n')
  const events = lines.flatMap((line) => decoder.push(JSON.parse(line)))
  expect(ofType(events, 'tool_result').map((each) => each.message.toolCallId)).toEqual(['ws_1'])
})

test('the tokens of a thread go on over a resume, and are counted once', () => {
  const ledger = createLedger()
  for (const event of decodeLines('codex', [...started, usage(1200)])) ledger.add(event)
  ledger.nextProcess()
  for (const event of decodeLines('codex', [...started, usage(2400)])) ledger.add(event)
  expect(ledger.totals().input + ledger.totals().cacheRead).toBe(2400)
})

test('the counters of an app-server are counted once, also over a resume', () => {
  const { bytes } = recording('codex-app-server/0.166.0/resume')
  const lines = bytes().toString().trim().split('\n')
  const ledger = createLedger()
  for (const event of decodeLines(
    'codex',
    lines.map((line) => JSON.parse(line)),
  ))
    ledger.add(event)
  expect(ledger.totals()).toMatchObject({ input: 2000, cacheRead: 400, output: 68 })
  expect(ledger.context()).toMatchObject({ used: 1234, window: 258_400 })
})

test('a killed run is interrupted, with the command that ran', () => {
  const item = {
    id: 'item_0',
    type: 'command_execution',
    command: 'sleep 9',
    status: 'in_progress',
  }
  const events = decodeLines('codex', [...started, { type: 'item.started', item }])
  expect(ofType(events, 'tool_execution_end')).toMatchObject([{ interrupted: true }])
  expect(events.at(-1)).toMatchObject({ type: 'agent_end', interrupted: true })
})

test.each([
  ["/bin/bash -lc 'echo hi'", 'echo hi'],
  [`/bin/zsh -lc "echo 'it'"`, "echo 'it'"],
  ['bash -lc ls', 'ls'],
  // Not one script: the text stays as it is, and no rule takes it for something else.
  ['/bin/bash -lc ls -la', '/bin/bash -lc ls -la'],
  ['/bin/bash -lc "echo $HOME"', '/bin/bash -lc "echo $HOME"'],
  ["/bin/bash -lc 'echo hi' ; rm x", "/bin/bash -lc 'echo hi' ; rm x"],
  ['git status', 'git status'],
])('the script of %s', (command, script) => {
  expect(scriptOf(command)).toBe(script)
})

test('a change to several files is covered by no rule about one path', () => {
  const change = { path: '/p/a.txt', kind: 'add', diff: 'x\n' }
  expect(codex.knownCall?.('file_change', { changes: [change] })).toMatchObject({ kind: 'edit' })
  expect(codex.knownCall?.('file_change', { changes: [change, change] })).toBeUndefined()
})

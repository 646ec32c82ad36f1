import { expect, test } from 'vitest'
import type { Snapshot } from '../../../src/events/types.ts'
import { exportMarkdown } from '../../../src/http/export/markdown.ts'
import { type Log, openMemoryLog, type SessionRecord } from '../../../src/log/index.ts'
import {
  applyEvents,
  emptyTranscript,
  toSnapshot,
  trimTranscript,
} from '../../../src/transcript/index.ts'
import { delta, open, stampAll, start, wholeMessage } from '../../transcript/events.ts'

const record = {
  id: 's',
  agent: 'pi',
  cwd: '/project',
  name: 'A\nname',
  state: 'idle',
  createdAt: 0,
  updatedAt: 0,
} as const

const pageOf = async (
  session: SessionRecord,
  snapshot: Snapshot,
  log: Pick<Log, 'readText'> = { async *readText() {} },
): Promise<string> => {
  let page = ''
  for await (const chunk of exportMarkdown(log, session, snapshot, 2000)) page += chunk
  return page
}

test('what a snapshot leaves out of a long session is in its page', async () => {
  const log = await openMemoryLog()
  await log.sessions.create(record)
  const events = stampAll([
    start,
    ...Array.from({ length: 100 }, (_, at) => wholeMessage(`m${at}`, `Number ${at}.`)).flat(),
    open('last'),
    delta('last', 'Half'),
  ])
  await log.append('s', events)
  const whole = applyEvents(emptyTranscript('s'), events)
  const { transcript, older } = trimTranscript(whole, 3000)
  expect(older.length).toBeGreaterThan(50)
  const page = await pageOf(record, toSnapshot(transcript, { projectId: 'p' }), log)
  expect(page).toBe(await pageOf(record, toSnapshot(whole, { projectId: 'p' })))
})

test('a page without a name has the title as its heading, or the directory', async () => {
  const { name: _, ...unnamed } = record
  const headingOf = async (session: SessionRecord, transcript = emptyTranscript('s')) =>
    (await pageOf(session, toSnapshot(transcript, { projectId: 'p' }))).split('\n')[0]
  expect(await headingOf({ ...unnamed, title: 'Fix it' })).toBe('# Fix it')
  expect(await headingOf(unnamed)).toBe('# project')
  const named = applyEvents(emptyTranscript('s'), [
    { type: 'session_update', name: 'By the agent' },
  ])
  expect(await headingOf({ ...unnamed, title: 'Fix it' }, named)).toBe('# By the agent')
})

test('a session as a page: roles, tools with their output, and safe code fences', async () => {
  const fenced = 'Look:\n\n```\ncode\n```'
  const transcript = applyEvents(emptyTranscript('s'), [
    { type: 'session_start', agent: 'pi', model: 'm' },
    { type: 'agent_start' },
    { type: 'message_start', messageId: '1', messageRole: 'user' },
    {
      type: 'message_end',
      messageId: '1',
      message: { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
    },
    { type: 'message_start', messageId: '2', messageRole: 'assistant' },
    {
      type: 'message_end',
      messageId: '2',
      message: {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'a\nb' },
          { type: 'text', text: fenced },
          { type: 'toolCall', id: 't', name: 'bash', arguments: { command: 'ls' } },
        ],
      },
    },
    { type: 'tool_call', toolCallId: 't', toolName: 'bash', input: {} },
    { type: 'tool_execution_start', toolCallId: 't', toolName: 'bash' },
    { type: 'tool_execution_end', toolCallId: 't', toolName: 'bash', isError: true },
    {
      type: 'tool_result',
      message: {
        role: 'toolResult',
        toolCallId: 't',
        toolName: 'bash',
        content: [{ type: 'text', text: '```\nls: no\n' }],
        isError: true,
      },
    },
    { type: 'agent_end' },
  ])
  const page = await pageOf(record, toSnapshot(transcript, { projectId: 'p' }))
  expect(page).toMatchInlineSnapshot(`
    "# A name

    - Agent: pi
    - Model: m
    - Directory: /project
    - Created: 1970-01-01T00:00:00.000Z
    - Session: s

    ## User

    Hello

    ## Assistant

    > a
    > b

    Look:

    \`\`\`
    code
    \`\`\`

    **bash**

    \`\`\`json
    {
      "command": "ls"
    }
    \`\`\`

    ### bash failed

    \`\`\`\`
    \`\`\`
    ls: no
    \`\`\`\`
    "
  `)
})

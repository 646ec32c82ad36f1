import { expect, test } from 'vitest'
import { exportMarkdown } from '../../../src/http/export/markdown.ts'
import { applyEvents, emptyTranscript, toSnapshot } from '../../../src/transcript/index.ts'

const record = {
  id: 's',
  agent: 'pi',
  cwd: '/project',
  name: 'A\nname',
  state: 'idle',
  createdAt: 0,
  updatedAt: 0,
} as const

test('a page without a name has the title as its heading, or the directory', () => {
  const { name: _, ...unnamed } = record
  const headingOf = (
    session: Parameters<typeof exportMarkdown>[0],
    transcript = emptyTranscript('s'),
  ) =>
    [...exportMarkdown(session, toSnapshot(transcript, { projectId: 'p' }))].join('').split('\n')[0]
  expect(headingOf({ ...unnamed, title: 'Fix it' })).toBe('# Fix it')
  expect(headingOf(unnamed)).toBe('# project')
  const named = applyEvents(emptyTranscript('s'), [
    { type: 'session_update', name: 'By the agent' },
  ])
  expect(headingOf({ ...unnamed, title: 'Fix it' }, named)).toBe('# By the agent')
})

test('a session as a page: roles, tools with their output, and safe code fences', () => {
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
  const page = [...exportMarkdown(record, toSnapshot(transcript, { projectId: 'p' }))].join('')
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

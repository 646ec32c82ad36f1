import { expect, test } from 'vitest'
import { codexLive } from '../../src/agents/codex/live.ts'
import type { ApprovalReply } from '../../src/agents/live.ts'
import type { AgentEvent, EventOf } from '../../src/events/types.ts'
import { type Fields, fieldsOf } from '../../src/shared/fields.ts'

/** What an MCP server of Codex requests, and the response to an answer. */
const requested = (params: object) => {
  const written: Fields[] = []
  const connection = codexLive.connect({
    cwd: '/project',
    write: (lines) => written.push(...lines.map(fieldsOf)),
    emit: () => {},
  })
  const line = { id: 0, method: 'mcpServer/elicitation/request', params }
  const events: AgentEvent[] = connection.decoder.push(line)
  const request = events.find(
    (event): event is EventOf<'approval_request'> => event.type === 'approval_request',
  )
  const respond = (answer: ApprovalReply) => {
    if (!request) return expect.unreachable('nothing was requested')
    connection.send({ type: 'answer', id: 'c', request, answer })
    return written.at(-1)
  }
  return { request, respond, events, written }
}

const about = { threadId: 't', turnId: null, serverName: 'garden', message: 'Which?', _meta: null }
const form = {
  ...about,
  mode: 'form',
  requestedSchema: { type: 'object', properties: { size: { type: 'integer' } } },
}

test('a form of an MCP server names the server, and is answered in all fields of Codex', () => {
  const { request, respond } = requested(form)
  expect(request).toMatchObject({
    kind: 'question',
    dialog: { kind: 'form', title: 'The MCP server “garden” asks for input', message: 'Which?' },
    questions: [{ question: 'size', format: 'integer', isOptional: true }],
  })
  expect(respond({ action: 'allow', answers: { size: ['3'] } })).toEqual({
    id: 0,
    result: { action: 'accept', content: { size: 3 }, _meta: null },
  })
})

test.each([
  [{ action: 'deny' }, 'decline'],
  [{ action: 'deny', optionId: 'cancel' }, 'cancel'],
  [{ action: 'deny', isUnanswered: true }, 'cancel'],
] as const)('%o is sent as %s', (answer, action) => {
  const { respond } = requested(form)
  expect(respond(answer)).toEqual({ id: 0, result: { action, content: null, _meta: null } })
})

test('a form in a format of its own is cancelled, with a notice', () => {
  const { request, events, written } = requested({ ...form, mode: 'openai/form' })
  expect(request).toBeUndefined()
  expect(events.at(-1)).toMatchObject({ notice: { level: 'warning' } })
  expect(written).toEqual([{ id: 0, result: { action: 'cancel', content: null, _meta: null } }])
})

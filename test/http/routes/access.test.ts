import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Scope } from '../../../src/api/types.ts'
import { type LocalServer, readProblem, startLocalServer } from '../../support/local-server.ts'

let server: LocalServer
beforeAll(async () => {
  server = await startLocalServer()
})
afterAll(async () => {
  await server.close()
  server.remove()
})

const keyWith = async (...scopes: Scope[]): Promise<string> =>
  (await server.client.keys.create({ name: scopes.join('+'), scopes })).key

/** A session of the demo agent that waits for a decision. */
const createApproval = async () => {
  const { id } = await server.createDemoSession()
  await server.client.sessions.prompt(id, 'approve')
  for await (const event of server.client.sessions.stream(id)) {
    if (event.type === 'approval_request') return { id, approvalId: event.approvalId }
    const [open] = event.type === 'snapshot' ? (event.approvals ?? []) : []
    if (open) return { id, approvalId: open.approvalId }
  }
  throw new Error('there was no approval request')
}

test('GET access names the caller and what it may do', async () => {
  const token = await keyWith('read', 'approve')
  expect(await (await server.api('/access', { token })).json()).toEqual({
    actor: expect.objectContaining({ kind: 'key', name: 'read+approve' }),
    scopes: ['read', 'approve'],
  })
})

test('new arguments in an answer need the scope rewrite', async () => {
  const { id, approvalId } = await createApproval()
  const path = `/approvals/${approvalId}`
  const body = { action: 'allow', updatedInput: { command: 'echo changed' } }
  const approve = await keyWith('approve')
  expect(
    await readProblem(server.api(path, { method: 'POST', body, token: approve })),
  ).toMatchObject({ status: 403, code: 'wrong_scope', needed: 'rewrite' })
  expect(await server.client.approvals.list({ sessionId: id })).toHaveLength(1)
  const rewrite = await keyWith('approve', 'rewrite')
  const answer = await server.api(path, { method: 'POST', body, token: rewrite })
  expect(answer.status).toBe(200)
})

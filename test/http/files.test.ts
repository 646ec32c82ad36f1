import { afterAll, beforeAll, expect, test } from 'vitest'
import { fieldsOf } from '../../src/shared/fields.ts'
import { type LocalServer, startLocalServer, waitForRunEnd } from '../support/local-server.ts'

const base64 = (content: string | Buffer) => Buffer.from(content).toString('base64')

let server: LocalServer
beforeAll(async () => {
  server = await startLocalServer()
})
afterAll(async () => {
  await server.close()
  server.remove()
})

const contentOf = async (id: string) => {
  const { messages } = await server.client.sessions.messages(id)
  return messages.find(({ role }) => role === 'user')?.content ?? []
}

test('files go with a prompt, and are found in the messages and in the export', async () => {
  const { session } = await server.createDemoSession()
  const files = [{ name: 'notes.md', data: base64('Use tabs.') }]
  await server.client.sessions.prompt(session.id, { text: 'think', files })
  await waitForRunEnd(server, session.id)
  expect(await contentOf(session.id)).toEqual([
    { type: 'text', text: 'think' },
    { type: 'attachedFile', ...files[0], mimeType: 'text/plain' },
  ])
  const page = await server.api(`/sessions/${session.id}/export?format=markdown`)
  expect(await page.text()).toContain('*(file: notes.md)*')
})

test('a large file becomes a blob, which is served with the type of its content', async () => {
  const { session } = await server.createDemoSession()
  const bytes = Buffer.concat([Buffer.from('%PDF-1.4\n'), Buffer.alloc(300_000, 'x')])
  const files = [{ name: 'plan.txt', data: base64(bytes) }]
  await server.client.sessions.prompt(session.id, { text: 'think', files })
  await waitForRunEnd(server, session.id)
  const [, file] = await contentOf(session.id)
  const { name, data, mimeType, blob } = fieldsOf(file)
  expect({ name, data, mimeType }).toEqual({
    name: 'plan.txt',
    data: '',
    mimeType: 'application/pdf',
  })
  const found = await server.client.blobs.get(`${fieldsOf(blob).hash}`)
  expect(Buffer.from(await found.arrayBuffer()).equals(bytes)).toBe(true)
})

test('a file that no agent can read gets 409 with the reason, and leaves no trace', async () => {
  const { session } = await server.createDemoSession()
  const files = [{ name: 'a.zip', data: base64(Buffer.from('PK\x03\x04', 'latin1')) }]
  const sent = server.client.sessions.prompt(session.id, { text: 'think', files })
  await expect(sent).rejects.toMatchObject({
    status: 409,
    code: 'agent_refused',
    detail: expect.stringContaining('“a.zip” cannot be sent'),
  })
  expect(await contentOf(session.id)).toEqual([])
})

test.each([
  [{ name: '', data: 'AA==' }],
  [{ name: 'a\u0000b', data: 'AA==' }],
  [{ name: 'a', data: 'no base64!' }],
  [{ name: 'a', data: 'AA==', mimeType: 'text/plain' }],
])('%j is no file', async (file) => {
  const { session } = await server.createDemoSession()
  const sent = server.client.sessions.prompt(session.id, { text: 'think', files: [file] })
  await expect(sent).rejects.toMatchObject({ status: 422, code: 'invalid' })
})

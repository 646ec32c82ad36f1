import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openSqliteLog } from '../../src/log/sqlite/sqlite-log.ts'
import { startLocalServer } from '../support/local-server.ts'
import { sluice } from '../support/sluice.ts'

const directory = mkdtempSync(join(tmpdir(), 'sluice-export-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))
const data = join(directory, 'data')
const file = join(directory, 'session.sluice')
const redacted = join(directory, 'redacted.sluice')
const id = '3f2a0000-0000-4000-8000-000000000001'
const key = `ghp_${'aB3dE5fG7hJ9kL1mN2'.repeat(2)}`

beforeAll(async () => {
  const log = await openSqliteLog(data)
  await log.sessions.create({
    ...{ id, agent: 'demo', cwd: '/home/ann/shop', state: 'idle', name: 'Checkout' },
    ...{ createdAt: 1, updatedAt: 1 },
  })
  const stamp = { sessionId: id, timestamp: 1 }
  await log.append(id, [
    { ...stamp, seq: 1, type: 'session_start', agent: 'demo' },
    { ...stamp, seq: 2, type: 'error', code: 'agent_exit', message: `bad ${key}`, fatal: false },
  ])
  await log.close()
})

test('export writes a private file, and never replaces one without --force', async () => {
  const written = await sluice(['export', 'Checkout', '-o', file, '--data', data])
  expect(written).toMatchObject({ code: 0, stderr: expect.stringContaining('use --redact') })
  expect(written.stdout).toMatch(/^Wrote .*session\.sluice \(.*\): 2 events, 0 blobs\.\n$/)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(gunzipSync(readFileSync(file)).toString()).toContain(key)
  const again = await sluice(['export', '3f2a', '-o', file, '--data', data])
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('--force') })
})

test('export --redact hides secrets, and the words of --hide', async () => {
  const ran = await sluice([
    ...['export', '3f2a', '--redact', '--hide', 'checkout', '-o', redacted, '--data', data],
    '--json',
  ])
  expect(JSON.parse(ran.stdout)).toMatchObject({ file: redacted, events: 2, redacted: true })
  const text = gunzipSync(readFileSync(redacted)).toString()
  expect(text).toContain('bad [redacted-token]')
  expect(text).toContain('"cwd":"~/shop","name":"[redacted]"')
  expect(text).not.toContain(key)
})

test('import without a server, from a file and from stdin', async () => {
  const target = join(directory, 'other')
  const first = await sluice(['import', redacted, '--data', target, '--json'])
  expect(JSON.parse(first.stdout)).toMatchObject({ cwd: '~/shop', imported: { redacted: true } })
  const second = await sluice(['import', '-', '--data', target], { input: readFileSync(file) })
  expect(second).toMatchObject({ code: 0, stdout: expect.stringContaining(': Checkout\n') })
  const wrong = join(directory, 'wrong')
  writeFileSync(wrong, 'hello')
  expect(await sluice(['import', wrong, '--data', target])).toEqual({
    ...{ code: 2, stdout: '' },
    stderr: `sluice: Cannot import ${wrong}. The file is not a session that \`sluice export\` has written.\n`,
  })
})

test('a server imports and exports; the imported session is read-only', async () => {
  const server = await startLocalServer()
  try {
    const target = join(server.root, 'data')
    const ran = await sluice(['import', file, '--data', target, '--json'])
    const { id: imported } = JSON.parse(ran.stdout)
    const { session } = await (await server.api(`/sessions/${imported}`)).json().then(toSession)
    expect(session).toMatchObject({ name: 'Checkout', state: 'ended', imported: {} })
    const refused = { method: 'POST', body: { text: 'hi' } }
    for (const path of ['prompt', 'steer', 'follow-up'])
      expect(await problemOf(server.api(`/sessions/${imported}/${path}`, refused))).toEqual([
        ...[409, 'session_read_only'],
      ])
    expect(await problemOf(server.api(`/sessions/${imported}/turn-diff`))).toEqual([
      ...[409, 'session_read_only'],
    ])
    const rename = { method: 'PATCH', body: { name: 'Renamed' } }
    expect((await server.api(`/sessions/${imported}`, rename)).status).toBe(200)

    const bundle = await server.api(`/sessions/${imported}/export?format=sluice&redact=true`)
    const text = gunzipSync(Buffer.from(await bundle.arrayBuffer())).toString()
    expect(text).toContain('bad [redacted-token]')
    expect(text).toContain('Renamed')

    const bad = { method: 'POST', body: 'hello', headers: { 'content-type': 'application/gzip' } }
    expect(await problemOf(server.api('/sessions/import', bad))).toEqual([422, 'invalid'])
    expect((await server.client.sessions.list()).sessions).toHaveLength(1)
    expect((await server.client.audit.list()).entries.slice(0, 1)).toMatchObject([
      { action: 'session_imported', detail: 'Checkout' },
    ])
  } finally {
    await server.close()
    server.remove()
  }
})

const toSession = (session: unknown) => ({ session })

const problemOf = async (sent: Promise<Response>): Promise<unknown[]> => {
  const response = await sent
  const { code }: { code?: unknown } = Object(await response.json())
  return [response.status, code]
}

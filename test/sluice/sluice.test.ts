import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { allScopes } from '../../src/api/scopes.ts'
import { createClient } from '../../src/client/client.ts'
import type { StampedEvent } from '../../src/events/types.ts'
import { lockHolder } from '../../src/log/index.ts'
import { openSluice, type Sluice, type SluiceOptions } from '../../src/sluice/sluice.ts'

process.env.SLUICE_DEMO_PACE = '0'

const temporaryDirectory = (): string => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-open-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }))
  return directory
}

const open = async (options: Partial<SluiceOptions> = {}): Promise<Sluice> => {
  const sluice = await openSluice({ data: temporaryDirectory(), policy: 'allow', ...options })
  onTestFinished(() => sluice.close())
  return sluice
}

test('one call opens sessions, bus and log; every event reaches all three readers', async () => {
  const seen: StampedEvent[] = []
  const subjects: string[] = []
  const { sessions, bus, log, server } = await open({ onEvent: (event) => seen.push(event) })
  expect(server).toBeUndefined()
  bus.on('adapter:demo.*', ({ subject }) => void subjects.push(subject))
  const { record, session } = await sessions.create({ agent: 'demo', cwd: temporaryDirectory() })
  await session.prompt('hello')
  await session.idle()
  const stored: StampedEvent[] = []
  for await (const event of log.read(record.id, 0)) stored.push(event)
  expect(stored.at(-1)?.seq).toBe(await log.head(record.id))
  expect(seen).toEqual(stored)
  expect(subjects).toContain('adapter:demo.text_delta')
})

test('a link to the data directory that is led elsewhere brings no other rules', async () => {
  const link = join(temporaryDirectory(), 'data')
  symlinkSync(temporaryDirectory(), link)
  const { sessions } = await open({ data: link })
  const other = temporaryDirectory()
  const rules = [{ effect: 'allow', tool: 'bash', pattern: 'sh *' }]
  writeFileSync(join(other, 'policies.json'), JSON.stringify({ projects: { '/': { rules } } }))
  rmSync(link)
  symlinkSync(other, link)
  expect(sessions.rules.list({ cwd: tmpdir() })).toEqual({ rules: [] })
})

test('with http, the server listens and signs the browser in', async () => {
  const addresses: string[] = []
  const http = { port: 0, onListening: ({ url }: { url: string }) => void addresses.push(url) }
  const { server, sessions } = await open({ http })
  expect(addresses).toEqual([server?.url])
  const { url = '' } = server ?? {}
  const [address, code = ''] = server?.pairingUrl().split('#') ?? []
  expect(address).toBe(`${url}pair`)
  const { browser } = await createClient({ url }).auth.pair({ code, name: 'Test' })
  expect(browser).toMatchObject({ name: 'Test', scopes: allScopes })
  const all = await server?.keys.create({ name: 'all', scopes: [...allScopes] })
  const client = createClient({ url, token: all?.key ?? '' })
  const { record } = await sessions.create({ agent: 'demo', cwd: temporaryDirectory() })
  expect((await client.sessions.get(record.id)).agent).toBe('demo')
  const key = await server?.keys.create({ name: 'reader', scopes: ['read'] })
  const reader = createClient({ url, token: key?.key ?? '' })
  await expect(reader.sessions.prompt(record.id, 'x')).rejects.toMatchObject({ status: 403 })
})

test('agents limits which agents sessions can use', async () => {
  const { sessions, server } = await open({ agents: ['demo'], http: { port: 0, auth: false } })
  await expect(sessions.create({ agent: 'pi', cwd: temporaryDirectory() })).rejects.toMatchObject({
    code: 'agent_not_found',
    message: 'Pi is not enabled here. Enabled: demo.',
  })
  const client = createClient({ url: server?.url ?? '' })
  expect((await client.agents.list()).map(({ name }) => name)).toEqual(['demo'])
})

test('a second process cannot open the same directory, and is told who has it', async () => {
  const data = temporaryDirectory()
  await open({ data })
  await expect(openSluice({ data })).rejects.toMatchObject({
    code: 'data_not_opened',
    message: expect.stringContaining('in use'),
  })
})

test('a server without authentication is refused beyond the loopback', async () => {
  const data = temporaryDirectory()
  await expect(
    openSluice({ data, http: { host: '0.0.0.0', port: 0, auth: false } }),
  ).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining('reaches 0.0.0.0') })
  expect(lockHolder(data)).toBeUndefined()
})

test('a server without authentication is refused behind a public URL', async () => {
  const data = temporaryDirectory()
  const http = { port: 0, auth: false, publicUrl: 'https://sluice.example.org' }
  await expect(openSluice({ data, http })).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining('reaches https://sluice.example.org'),
  })
  expect(lockHolder(data)).toBeUndefined()
})

test('an abort while it opens closes everything again', async () => {
  const data = temporaryDirectory()
  const control = new AbortController()
  let url = ''
  const onListening = (server: { url: string }) => {
    url = server.url
    control.abort()
  }
  const opening = openSluice({ data, signal: control.signal, http: { port: 0, onListening } })
  await expect(opening).rejects.toMatchObject({ name: 'AbortError' })
  expect(lockHolder(data)).toBeUndefined()
  await expect(fetch(url)).rejects.toThrow()
})

test('a port that is in use names the process, and leaves the directory free', async () => {
  const { server } = await open({ http: { port: 0 } })
  const port = Number(new URL(server?.url ?? '').port)
  const data = temporaryDirectory()
  await expect(openSluice({ data, http: { port } })).rejects.toMatchObject({
    code: 'not_listening',
    message: `Port ${port} is in use by process ${process.pid}. Stop it, or choose another port with --port.`,
  })
  expect(lockHolder(data)).toBeUndefined()
})

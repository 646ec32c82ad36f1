import { Writable } from 'node:stream'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { redact } from '../../src/auth/redact.ts'
import { addKey, openAuth } from './samples.ts'

const shown = async () => {
  const { auth } = await openAuth()
  const { key, header } = await addKey(auth)
  const { token } = await auth.issueToken({ access: await auth.authenticate(header) })
  return { key, token }
}

test('keys and tokens are hidden anywhere in a text', async () => {
  for (const secret of Object.values(await shown()))
    for (const text of [
      secret,
      `Bearer ${secret}`,
      `/api/v1/stream?token=${secret}&sessions=a`,
      `http://127.0.0.1:3000/#token=${secret}`,
      JSON.stringify({ headers: { authorization: `bearer ${secret}` }, x: [secret] }),
      `key ${secret}, and again: ${secret}.`,
    ]) {
      const safe = redact(text)
      expect(safe).toContain('[hidden]')
      expect(safe).not.toContain(secret.slice(8, 40))
    }
})

test('parameters named like a secret are hidden, others are not', () => {
  expect(redact('/x?after=5&access_token=abc123&sessions=a,b')).toBe(
    '/x?after=5&access_token=[hidden]&sessions=a,b',
  )
  expect(redact('GET /x?api_key=abc')).toBe('GET /x?api_key=[hidden]')
  const plain = 'session 1234 of sluice_db: 12 tokens, keyboard=us, /api/v1/keys/99085911c1e8a764'
  expect(redact(plain)).toBe(plain)
})

test('a log line stays valid JSON without tokens', async () => {
  const { key, token } = await shown()
  let written = ''
  const stream = new Writable({
    write(chunk, _, done) {
      written += chunk
      done()
    },
  })
  const log = pino({ hooks: { streamWrite: redact } }, stream)
  log.info({ url: `/x?token=${token}`, error: new Error(`no: ${key}`) }, `requested with ${key}`)
  expect(JSON.parse(written)).toMatchObject({
    url: '/x?token=[hidden]',
    msg: 'requested with [hidden]',
  })
  expect(written).not.toContain(key)
  expect(written).not.toContain(token)
})

test('redacting takes linear time, even for hostile input', () => {
  for (const text of ['eyJaaaaa-', 'bearer+', '+', ' ', '%20', 'sluice_', '&token=', 'eyJ.'])
    expect(redact(`${text.repeat(500_000)}" end`).endsWith('" end')).toBe(true)
})

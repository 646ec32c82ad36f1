import { describe, expect, test } from 'vitest'
import { createOrigins, isLoopback, type OriginOptions } from '../../src/auth/origins.ts'

/** The problem code of a request, or `accepted`. */
const check = (options: OriginOptions, host: string | undefined, origin?: string): string => {
  try {
    createOrigins(options).check({ host, origin })
    return 'accepted'
  } catch (cause) {
    expect(cause).toMatchObject({ name: 'Problem', status: 403 })
    return cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  }
}
const local = { host: '127.0.0.1' }
const open = { host: '0.0.0.0' }
const proxied = { host: '127.0.0.1', publicUrl: 'https://sluice.example.org' }

describe('Host', () => {
  test.each([
    '127.0.0.1:3000',
    'localhost:3000',
    'LOCALHOST:3000',
    '[::1]:3000',
    'localhost',
    'localhost:8080', // a tunnel
  ])('%s is this machine', (host) => expect(check(local, host)).toBe('accepted'))

  test.each([
    undefined,
    '',
    'evil.example',
    'evil.example:3000',
    'localhost.evil.example:3000',
    '127.0.0.1.evil.example',
    'evil.localhost:3000',
    '192.168.1.5:3000',
    '127.0.0.1:3000@evil.example',
    'localhost:3000/',
    'localhost:',
    'localhost:99999999',
    '127.1:3000',
    '[::1',
    '::1',
    'localhost, evil.example',
  ])('%s is foreign', (host) => expect(check(local, host)).toBe('foreign_host'))

  test('is accepted when it is the address that the server listens on', () => {
    expect(check({ host: 'Box.lan' }, 'box.lan:3000')).toBe('accepted')
    expect(check({ host: '192.168.1.5' }, '192.168.1.5:3000')).toBe('accepted')
    expect(check({ host: 'fd00::5' }, '[fd00::5]:3000')).toBe('accepted')
    expect(check({ host: '192.168.1.5' }, '192.168.1.6:3000')).toBe('foreign_host')
  })

  test('may be any IP address when the server listens on all, but no other name', () => {
    for (const options of [open, { host: '::' }]) {
      for (const host of ['192.168.1.5:8080', '[fd00::5]:3000', 'localhost:3000'])
        expect(check(options, host)).toBe('accepted')
      expect(check(options, 'evil.example:3000')).toBe('foreign_host')
    }
  })

  test('is accepted when it is the host and port of the public URL', () => {
    expect(check(proxied, 'sluice.example.org')).toBe('accepted')
    expect(check(proxied, 'sluice.example.org:3000')).toBe('foreign_host')
    expect(check(proxied, 'other.example.org')).toBe('foreign_host')
    const own = { host: '127.0.0.1', publicUrl: 'http://box.lan:8080/' }
    expect(check(own, 'box.lan:8080')).toBe('accepted')
  })
})

describe('Origin', () => {
  test('is accepted for pages of this server', () => {
    expect(check(local, '127.0.0.1:3000', 'http://127.0.0.1:3000')).toBe('accepted')
    expect(check(local, 'localhost:8080', 'http://localhost:8080')).toBe('accepted')
    expect(check(local, '[::1]:3000', 'http://[::1]:3000')).toBe('accepted')
    expect(check(open, '192.168.1.5:3000', 'http://192.168.1.5:3000')).toBe('accepted')
  })

  test.each([
    'http://evil.example',
    'http://localhost:3000', // another name of the same machine is another origin
    'http://127.0.0.1:5173', // another program on it
    'http://127.0.0.1',
    'null',
    '',
    'file://',
    'chrome-extension://127.0.0.1:3000',
    'ftp://127.0.0.1:3000',
    'not an origin',
  ])('%s is foreign', (origin) => {
    expect(check(local, '127.0.0.1:3000', origin)).toBe('foreign_origin')
  })

  test('is accepted for pages of the public URL, even when the proxy sends its own Host', () => {
    expect(check(proxied, 'sluice.example.org', 'https://sluice.example.org')).toBe('accepted')
    expect(check(proxied, '127.0.0.1:3000', 'https://sluice.example.org')).toBe('accepted')
    expect(check(proxied, 'sluice.example.org', 'http://sluice.example.org')).toBe('foreign_origin')
    expect(check(proxied, 'sluice.example.org', 'https://example.org')).toBe('foreign_origin')
  })
})

test('isLoopback recognises loopback addresses', () => {
  for (const host of ['127.0.0.1', 'localhost', '::1', '[::1]', '127.0.0.2', 'LocalHost'])
    expect(isLoopback(host)).toBe(true)
  for (const host of ['0.0.0.0', '::', '192.168.1.5', 'box.lan', '127.evil.example', ''])
    expect(isLoopback(host)).toBe(false)
})

describe('the refusal of a host', () => {
  const detailOf = (host: string | undefined): string => {
    try {
      createOrigins(local).check({ host, origin: undefined })
      return ''
    } catch (cause) {
      return cause instanceof Error ? cause.message : ''
    }
  }

  test('says how to allow it', () => {
    expect(detailOf('X.example')).toBe(
      'Requests for host "x.example" are refused. To allow it, start with --public-url https://x.example.',
    )
  })

  test.each([undefined, '', '"><script>', `${'x'.repeat(1000)}.example`])(
    'does not repeat one that is malformed: %j',
    (host) => {
      expect(detailOf(host)).toBe('The Host header of this request is not a valid host name.')
    },
  )
})

import { describe, expect, test } from 'vitest'
import { createOrigins, isLoopback, type OriginOptions } from '../../src/auth/origins.ts'

/** What comes of a request: its code, or `in`. */
const ask = (options: OriginOptions, host: string | undefined, origin?: string): string => {
  try {
    createOrigins(options).check({ host, origin })
    return 'in'
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
  ])('%s is this machine', (host) => expect(ask(local, host)).toBe('in'))

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
  ])('%s is foreign', (host) => expect(ask(local, host)).toBe('foreign_host'))

  test('that it listens on is known, with and without brackets', () => {
    expect(ask({ host: 'Box.lan' }, 'box.lan:3000')).toBe('in')
    expect(ask({ host: '192.168.1.5' }, '192.168.1.5:3000')).toBe('in')
    expect(ask({ host: 'fd00::5' }, '[fd00::5]:3000')).toBe('in')
    expect(ask({ host: '192.168.1.5' }, '192.168.1.6:3000')).toBe('foreign_host')
  })

  test('may be any address in numbers where it listens on all, but no unknown name', () => {
    for (const options of [open, { host: '::' }]) {
      for (const host of ['192.168.1.5:8080', '[fd00::5]:3000', 'localhost:3000'])
        expect(ask(options, host)).toBe('in')
      expect(ask(options, 'evil.example:3000')).toBe('foreign_host')
    }
  })

  test('of the public URL is known, on its port', () => {
    expect(ask(proxied, 'sluice.example.org')).toBe('in')
    expect(ask(proxied, 'sluice.example.org:3000')).toBe('foreign_host')
    expect(ask(proxied, 'other.example.org')).toBe('foreign_host')
    const own = { host: '127.0.0.1', publicUrl: 'http://box.lan:8080/' }
    expect(ask(own, 'box.lan:8080')).toBe('in')
  })
})

describe('Origin', () => {
  test('of the page that this server gave is let in', () => {
    expect(ask(local, '127.0.0.1:3000', 'http://127.0.0.1:3000')).toBe('in')
    expect(ask(local, 'localhost:8080', 'http://localhost:8080')).toBe('in')
    expect(ask(local, '[::1]:3000', 'http://[::1]:3000')).toBe('in')
    expect(ask(open, '192.168.1.5:3000', 'http://192.168.1.5:3000')).toBe('in')
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
    expect(ask(local, '127.0.0.1:3000', origin)).toBe('foreign_origin')
  })

  test('of the public URL is let in, also where the proxy puts its own Host', () => {
    expect(ask(proxied, 'sluice.example.org', 'https://sluice.example.org')).toBe('in')
    expect(ask(proxied, '127.0.0.1:3000', 'https://sluice.example.org')).toBe('in')
    expect(ask(proxied, 'sluice.example.org', 'http://sluice.example.org')).toBe('foreign_origin')
    expect(ask(proxied, 'sluice.example.org', 'https://example.org')).toBe('foreign_origin')
  })
})

test('a loopback address is known as one', () => {
  for (const host of ['127.0.0.1', 'localhost', '::1', '[::1]', '127.0.0.2', 'LocalHost'])
    expect(isLoopback(host)).toBe(true)
  for (const host of ['0.0.0.0', '::', '192.168.1.5', 'box.lan', '127.evil.example', ''])
    expect(isLoopback(host)).toBe(false)
})

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createWebFiles, type WebFiles } from '../../src/http/web-files.ts'

describe('web files', () => {
  let directory: string
  let files: WebFiles
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'sluice-web-'))
    const app = join(directory, 'app')
    mkdirSync(join(app, 'assets'), { recursive: true })
    writeFileSync(join(directory, 'secret.txt'), 'secret')
    writeFileSync(join(app, 'index.html'), '<!doctype html>')
    writeFileSync(join(app, 'assets', 'index-B3fGh81x.js'), 'let a = 1')
    writeFileSync(join(app, 'assets', 'index-B3fGh81x.js.gz'), gzipSync('let a = 1'))
    writeFileSync(join(app, 'assets', 'index-B3fGh81x.js.br'), brotliCompressSync('let a = 1'))
    files = createWebFiles(app)
  })
  afterAll(() => rmSync(directory, { recursive: true, force: true }))

  const get = async (path: string, acceptEncoding = '', ifNoneMatch = '') => {
    const response = await files.get({ path, acceptEncoding, ifNoneMatch })
    if (!response) return undefined
    const { status, headers = {}, chunks = [] } = response
    const parts: Buffer[] = []
    for await (const chunk of chunks) parts.push(Buffer.from(chunk))
    return { status, headers, bytes: Buffer.concat(parts) }
  }

  test('every path without an extension is the page, which is revalidated each time', async () => {
    for (const path of ['/', '/sessions/1', '/sessions/1/']) {
      const page = await get(path)
      expect(page?.bytes.toString()).toBe('<!doctype html>')
      expect(page?.headers).toMatchObject({
        'Content-Type': 'text/html; charset=utf-8',
        'Cache-Control': 'no-cache',
        'Content-Security-Policy': expect.stringContaining("script-src 'self'"),
      })
    }
  })

  test('a file with a hash in its name is cached for ever', async () => {
    const plain = await get('/assets/index-B3fGh81x.js')
    expect(plain?.bytes.toString()).toBe('let a = 1')
    expect(plain?.headers['Cache-Control']).toContain('immutable')
    expect(plain?.headers['Content-Encoding']).toBeUndefined()
  })

  test.each([
    ['gzip, deflate, br, zstd', 'br', brotliCompressSync('let a = 1')],
    ['BR;q=0.5', 'br', brotliCompressSync('let a = 1')],
    ['gzip, deflate', 'gzip', gzipSync('let a = 1')],
    ['br;q=0, gzip', 'gzip', gzipSync('let a = 1')],
    ['brotli, x-gzip', undefined, Buffer.from('let a = 1')],
  ])('a client that accepts %s gets the copy in %s', async (accept, encoding, bytes) => {
    const sent = await get('/assets/index-B3fGh81x.js', accept)
    expect(sent?.headers).toMatchObject({
      'Content-Type': 'text/javascript; charset=utf-8',
      'Content-Length': String(bytes.length),
      Vary: 'Accept-Encoding',
    })
    expect(sent?.headers['Content-Encoding']).toBe(encoding)
    expect(sent?.bytes).toEqual(bytes)
  })

  test('a file without copies is sent as it is', async () => {
    const page = await get('/', 'gzip, br')
    expect(page?.headers['Content-Encoding']).toBeUndefined()
    expect(page?.bytes.toString()).toBe('<!doctype html>')
  })

  test('a client that has the file gets 304', async () => {
    const first = await get('/')
    const again = await get('/', '', first?.headers.ETag)
    expect(again?.status).toBe(304)
    expect(again?.bytes).toHaveLength(0)
  })

  test.each([
    '/none.js',
    '/../secret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/assets/../../secret.txt',
    '/%00.txt',
    '/%zz.js',
    '/.hidden.txt',
  ])('there is no file at %s', async (path) => {
    expect(await get(path)).toBeUndefined()
  })
})

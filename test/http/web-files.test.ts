import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createWebFiles } from '../../src/http/web-files.ts'

/** The files of the web app. */
describe('web files', () => {
  let directory: string
  let files: ReturnType<typeof createWebFiles>
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'sluice-web-'))
    const app = join(directory, 'app')
    mkdirSync(join(app, 'assets'), { recursive: true })
    writeFileSync(join(directory, 'secret.txt'), 'secret')
    writeFileSync(join(app, 'index.html'), '<!doctype html>')
    writeFileSync(join(app, 'assets', 'index-B3fGh81x.js'), 'let a = 1')
    writeFileSync(join(app, 'assets', 'index-B3fGh81x.js.gz'), gzipSync('let a = 1'))
    files = createWebFiles(app)
  })
  afterAll(() => rmSync(directory, { recursive: true, force: true }))

  const get = async (path: string, acceptEncoding = '', ifNoneMatch = '') => {
    const answer = await files.get({ path, acceptEncoding, ifNoneMatch })
    if (!answer) return undefined
    const parts: Buffer[] = []
    for await (const part of answer.source ?? []) parts.push(Buffer.from(part))
    return { headers: answer.headers, bytes: Buffer.concat(parts) }
  }

  test('every place in the app is its page, which is asked for anew each time', async () => {
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

  test('what has its hash in its name is kept for ever, and sent packed to those who can read it', async () => {
    const path = '/assets/index-B3fGh81x.js'
    const plain = await get(path)
    expect(plain?.bytes.toString()).toBe('let a = 1')
    expect(plain?.headers['Cache-Control']).toContain('immutable')
    const packed = await get(path, 'br, gzip')
    expect(packed?.headers['Content-Encoding']).toBe('gzip')
    expect(packed?.bytes).toEqual(gzipSync('let a = 1'))
  })

  test('whoever has it already is told so', async () => {
    const first = await get('/')
    const again = await get('/', '', first?.headers.ETag)
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
  ])('nothing else is a file: %s', async (path) => {
    expect(await get(path)).toBeUndefined()
  })
})

import { expect, test } from 'vitest'
import { startMemoryServer } from '../../support/memory-server.ts'

test.each([
  ['text/plain', 'text/plain; charset=utf-8', null],
  ['image/png', 'image/png', null],
  ['text/html', 'application/octet-stream', 'attachment'],
  ['image/svg+xml', 'application/octet-stream', 'attachment'],
  [undefined, 'application/octet-stream', 'attachment'],
])('a blob of the type %s is sent as %s', async (mimeType, type, disposition) => {
  const { url, key, log } = await startMemoryServer()
  const { hash } = await log.blobs.put('s', Buffer.from('<script>'), mimeType)
  const response = await fetch(`${url}/blobs/${hash}`, {
    headers: { authorization: `Bearer ${key}` },
  })
  expect(response.headers.get('content-type')).toBe(type)
  expect(response.headers.get('content-disposition')).toBe(disposition)
  expect(response.headers.get('content-security-policy')).toContain('sandbox')
  expect(response.headers.get('cache-control')).toContain('immutable')
  expect(await response.text()).toBe('<script>')
})

import { expect, test } from 'vitest'
import { dataHeaders, pageHeaders } from '../../src/auth/headers.ts'

const policyOf = (headers: Readonly<Record<string, string>>) =>
  new Map(
    headers['Content-Security-Policy']?.split('; ').map((directive) => {
      const [name = '', ...values] = directive.split(' ')
      return [name, values.join(' ')]
    }),
  )

test.each([
  ['data', dataHeaders],
  ['pages', pageHeaders],
])('%s: no framing, no sniffing, no referrer, and no access for other origins', (_, headers) => {
  expect(headers).toMatchObject({
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Resource-Policy': 'same-origin',
  })
  const policy = policyOf(headers)
  for (const name of ['default-src', 'base-uri', 'form-action', 'frame-ancestors'])
    expect(policy.get(name)).toBe("'none'")
  expect(Object.keys(headers).filter((name) => /^access-control/i.test(name))).toEqual([])
})

test('a page loads only files of this server, and runs no inline script or style', () => {
  const policy = policyOf(pageHeaders)
  expect(policy.get('script-src')).toBe("'self'")
  expect(policy.get('style-src')).toBe("'self'")
  expect(policy.get('connect-src')).toBe("'self'")
  expect(pageHeaders['Content-Security-Policy']).not.toMatch(/unsafe|\*|https?:/)
})

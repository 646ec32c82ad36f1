import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { redactText } from '../../src/redact/redact-text.ts'

const random = (length: number) => 'aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY'.repeat(5).slice(0, length)
const hex = (length: number) => '0123456789abcdef'.repeat(10).slice(0, length)

/** Put together here, so that no scanner takes this file for a leak. */
const keys: Record<string, string> = {
  anthropic: `sk-ant-api03-${random(80)}-_AA`,
  openai: `sk-proj-${random(48)}`,
  'openai, old': `sk-${random(48)}`,
  openrouter: `sk-or-v1-${hex(64)}`,
  groq: `gsk_${random(52)}`,
  xai: `xai-${random(60)}`,
  google: `AIza${random(35)}`,
  'google oauth': `ya29.${random(60)}`,
  'hugging face': `hf_${random(34)}`,
  'aws id': `AKIA${'IOSFODNN7EXAMPLE'}`,
  github: `ghp_${random(36)}`,
  'github, fine-grained': `github_pat_${random(22)}_${random(59)}`,
  gitlab: `glpat-${random(20)}`,
  slack: `xoxb-${'1234567890'}-${random(24)}`,
  npm: `npm_${random(36)}`,
  pypi: `pypi-AgEI${random(60)}`,
  stripe: `sk_live_${random(24)}`,
  sendgrid: `SG.${random(22)}.${random(43)}`,
  databricks: `dapi${hex(32)}`,
  vault: `hvs.${random(40)}`,
  telegram: `123456789:AA${random(33)}`,
  sluice: `sluice_${random(43)}`,
  jwt: `eyJ${random(20)}.eyJ${random(40)}.${random(43)}`,
}

describe('keys and tokens', () => {
  test.each(Object.entries(keys))('%s', (_, key) => {
    for (const text of [
      key,
      `export it: ${key}.`,
      `"${key}"`,
      `<a href='${key}'>`,
      `x=${key}&y=1`,
      JSON.stringify(`a\n${key}\t`),
      `\u001b[1;33m${key}\u001b[0m`,
      `https://example.com/?next=%2Fa%3Fb%3D${key}`,
    ]) {
      expect(redactText(text)).not.toContain(key.slice(0, -4))
      expect(redactText(text)).toContain('[redacted-')
    }
  })

  test('a private key is hidden whole, also one that the text cuts off', () => {
    const body = `${random(64)}\n${random(64)}\n`
    const begin = `-----BEGIN OPENSSH ${'PRIVATE'} KEY-----\n`
    expect(redactText(`a\n${begin}${body}-----END OPENSSH ${'PRIVATE'} KEY-----\nb`)).toBe(
      'a\n[redacted-private-key]\nb',
    )
    expect(redactText(`a\n${begin}${body}`)).toBe('a\n[redacted-private-key]')
    const json = JSON.stringify(`${begin}${body}-----END OPENSSH ${'PRIVATE'} KEY-----\nb`)
    expect(JSON.parse(redactText(json))).toBe('[redacted-private-key]\nb')
  })
})

describe('passwords and settings', () => {
  test.each([
    ['DB_PASSWORD=hunter22', 'DB_PASSWORD=[redacted-secret]'],
    ['export API_KEY="a b c d"', 'export API_KEY="[redacted-secret]"'],
    ['AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG', 'AWS_SECRET_ACCESS_KEY=[redacted-secret]'],
    ['SENTRY_DSN=https://abc@o1.ingest.io/2', 'SENTRY_DSN=[redacted-secret]'],
    ['{"apiKey": "abcdefgh"}', '{"apiKey": "[redacted-secret]"}'],
    ['{\\"apiKey\\": \\"abcdefgh\\"}', '{\\"apiKey\\": \\"[redacted-secret]\\"}'],
    ["password: 'correct horse'", "password: '[redacted-secret]'"],
    ['password: hunter22', 'password: [redacted-secret]'],
    ['aws_secret_access_key = wJalrXUtnFEMI/K7', 'aws_secret_access_key = [redacted-secret]'],
    ['Authorization: Bearer abcdef123456', 'Authorization: Bearer [redacted-credential]'],
    ['Authorization: Basic dXNlcjpwYXNz', 'Authorization: Basic [redacted-credential]'],
    ['authorization: 0123456789abcdef', 'authorization: [redacted-credential]'],
    ['Cookie: sid=abc; theme=dark\nb', 'Cookie: [redacted-credential]\nb'],
    ['postgres://ann:p4ss@db:5432/x', 'postgres://[redacted-password]@db:5432/x'],
    ['redis://:p@ss@cache/0', 'redis://[redacted-password]@cache/0'],
    ['https://x.io/?access_token=abcdef12&b=1', 'https://x.io/?access_token=[redacted-secret]&b=1'],
    ['deploy --api-key abc123def -v', 'deploy --api-key [redacted-secret] -v'],
    ['curl -u ann:s3cret https://x.io', 'curl -u ann:[redacted-secret] https://x.io'],
  ])('%s', (text, redacted) => {
    expect(redactText(text)).toBe(redacted)
    expect(redactText(`before ${text}`)).toBe(`before ${redacted}`)
  })
})

describe('people and places', () => {
  test.each([
    ['mail ann.smith+x@mail.example.co.uk now', 'mail [redacted-email] now'],
    ['Ann <ann@example.com>', 'Ann <[redacted-email]>'],
    ['/home/ann/shop/a.ts', '~/shop/a.ts'],
    ['cd "/Users/ann"', 'cd "~"'],
    ['/root/.ssh and /root', '~/.ssh and ~'],
    ['C:\\Users\\ann\\shop', '~\\shop'],
    ['"C:\\\\Users\\\\ann\\\\shop"', '"~\\\\shop"'],
    ['~/.claude/projects/-home-ann-shop/a.jsonl', '~/.claude/projects/-~-shop/a.jsonl'],
    ['file:///home/ann/a', 'file://~/a'],
  ])('%s', (text, redacted) => {
    expect(redactText(text)).toBe(redacted)
  })

  test('a home directory in an unusual place and own words', () => {
    const options = { home: '/data/people/ann', words: ['Acme'] }
    expect(redactText('/data/people/ann/x of ACME, /data/people/anna', options)).toBe(
      '~/x of [redacted], /data/people/anna',
    )
  })
})

test.each([
  'max_tokens: 4096, inputTokens=12, TOKENS=5',
  'const token: string = await readToken()',
  'if (password === undefined) return',
  'git@github.com:sluice-dev/sluice.git',
  'npm i lodash@4.17.21 @types/node@24',
  'API_KEY=$SECRET npm test',
  'secret: process.env.SECRET',
  'export TOKEN=<your token>',
  'Bearer authentication is required.',
  'https://example.com:8080/a@b',
  '/home/linuxbrew/.linuxbrew and /usr/local/root.txt',
  'a task-force, desk-and-chair-and-table-set',
  '{"keyword": "abcdefgh", "monkey": "banana123"}',
  'commit 3f786850e387550fdab836ed7e6dc881de23001b',
])('stays as it is: %s', (text) => {
  expect(redactText(text)).toBe(text)
})

describe('hostile texts take linear time', () => {
  const line = `${random(64)}\n`
  test.each([
    ['lines as in a certificate, and the name of a key', `PRIVATE KEY ${line.repeat(4_000)}`],
    ['short lines', `PRIVATE KEY ${`${random(16)}\n`.repeat(16_000)}`],
    ['many ends of keys', `${random(16)}\n-----END ${'PRIVATE'} KEY-----`.repeat(6_000)],
  ])('%s', (_, text) => {
    const start = performance.now()
    redactText(text)
    expect(performance.now() - start).toBeLessThan(2_000)
  })
})

test('the last lines of a private key are hidden, and the text around them stays', () => {
  const end = `-----END RSA ${'PRIVATE'} KEY-----`
  const body = `${random(64)}\n${random(64)}\n${random(10)}\n`
  expect(redactText(`tail -4 key.pem\n${body}${end}\nok`)).toBe(
    'tail -4 key.pem\n[redacted-private-key]\nok',
  )
  expect(JSON.parse(redactText(JSON.stringify(`a\n${body}${end}\nok`)))).toBe(
    'a\n[redacted-private-key]\nok',
  )
  expect(redactText(`It ends with ${end}.`)).toBe(`It ends with ${end}.`)
})

test.each([
  ['{"cwd":"a\\n/home/ann/shop"}', '{"cwd":"a\\n~/shop"}'],
  ['gcc -I/home/ann/include -L/Users/ann/lib', 'gcc -I~/include -L~/lib'],
  ['\u001b[34m/home/ann/shop', '\u001b[34m~/shop'],
  ['/mnt/c/Users/ann/shop', '~/shop'],
  ['vscode://file/%2Fhome%2Fann%2Fshop', 'vscode://file/~%2Fshop'],
  ['?user=ann%40example.com&x=1', '?user=[redacted-email]&x=1'],
  ['login ann password hunter2', 'login ann password [redacted-password]'],
  ['HTTP/1.1 200\\r\\nSet-Cookie: sid=abc', 'HTTP/1.1 200\\r\\nSet-Cookie: [redacted-credential]'],
  ['src/home/page.ts', 'src/home/page.ts'],
])('%s', (text, expected) => {
  expect(redactText(text)).toBe(expected)
})

test('redacting twice changes nothing more', () => {
  const pieces = fc.constantFrom(
    ...Object.values(keys),
    ...[
      'password: "',
      'TOKEN=',
      '"',
      "'",
      '\\',
      '\n',
      ' ',
      '@',
      '://',
      'ann:',
      '/home/ann',
      'a.io',
    ],
  )
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
      const once = redactText(parts.join(' '))
      expect(redactText(once)).toBe(once)
    }),
    { numRuns: 300 },
  )
})

test.each([
  'a',
  'sk-',
  'token=',
  '-----BEGIN PRIVATE KEY',
  'a@',
  '/home/',
  'a.',
  'eyJ',
  'x:\\Users\\',
  ' --',
])('a long text of %s takes linear time', (piece) => {
  const text = piece.repeat(200_000 / piece.length)
  const start = performance.now()
  redactText(text)
  expect(performance.now() - start).toBeLessThan(10_000)
})

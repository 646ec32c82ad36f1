import { appendFileSync, chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openInputHistory } from '../../../src/cli/editor/input-history.ts'
import { dataDirectory } from '../../support/demo-sessions.ts'

const file = () => join(dataDirectory(), 'chat-history.jsonl')

test('messages come back in the next chat, the newest first, and then what was typed', () => {
  const path = file()
  const first = openInputHistory(path)
  for (const each of ['one', 'two\nlines', 'two\nlines', 'three']) first.add(each)
  const history = openInputHistory(path)
  expect([history.older(''), history.older(''), history.older(''), history.older('')]).toEqual([
    'three',
    'two\nlines',
    'one',
    undefined,
  ])
  expect([history.newer(), history.newer(), history.newer(), history.newer()]).toEqual([
    'two\nlines',
    'three',
    '',
    undefined,
  ])
  history.reset()
  expect([history.older('t'), history.older('t'), history.older('t')]).toEqual([
    'three',
    'two\nlines',
    undefined,
  ])
})

test('only its owner can read the file', () => {
  const path = file()
  openInputHistory(path).add('secret')
  expect(statSync(path).mode & 0o777).toBe(0o600)
  chmodSync(path, 0o644)
  openInputHistory(path).older('')
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('a damaged line is left out, and a long file is shortened', () => {
  const path = file()
  const line = (index: number) => `${JSON.stringify(`message ${index}`)}\n`
  writeFileSync(path, Array.from({ length: 2500 }, (_, index) => line(index)).join(''))
  appendFileSync(path, '{"no": "text"}\nbroken')
  const history = openInputHistory(path)
  expect(history.older('')).toBe('message 2499')
  expect(readFileSync(path, 'utf8').trim().split('\n')).toHaveLength(1000)
})

test('a file that cannot be written does not stop a chat', () => {
  const history = openInputHistory('/proc/no/such/file')
  history.add('one')
  expect(history.older('')).toBe('one')
})

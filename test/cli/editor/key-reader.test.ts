import { describe, expect, test } from 'vitest'
import { createKeyReader, type EditorInput } from '../../../src/cli/editor/key-reader.ts'

const start = '\x1b[200~'
const end = '\x1b[201~'
const quick = { isGuarded: false, gap: 1 }

/** Reads chunks that arrive one after another. */
const read = (chunks: readonly string[], { isGuarded = false, gap = 1 } = quick) => {
  const reader = createKeyReader()
  return chunks.flatMap((chunk, index) => reader.push(chunk, { at: 1000 + index * gap, isGuarded }))
}
const keysIn = (inputs: readonly EditorInput[]) =>
  inputs.map((input) => (input.kind === 'key' ? input.key : `${input.kind}:${input.text}`))
const textIn = (inputs: readonly EditorInput[], kind: 'text' | 'paste') =>
  inputs.map((input) => (input.kind === kind ? input.text : '')).join('')

test.each([
  ['abc\r', ['text:abc', 'enter']],
  ['\x1b\r', ['alt-enter']],
  ['\x1b[13;2u', ['newline']],
  ['\x1b[27;2;13~', ['newline']],
  ['\x1b[13;3u', ['alt-enter']],
  ['\x1b[99;5u', ['interrupt']],
  ['\x1b[99;5:3u', []],
  ['\n', ['newline']],
  ['\x1b[A\x1b[B\x1b[C\x1b[D\x1bOH\x1bOF', ['up', 'down', 'right', 'left', 'home', 'end']],
  ['\x1b[1;5D\x1b[1;3C\x1bb', ['word-left', 'word-right', 'word-left']],
  ['\x1b[3~\x7f\x1b\x7f', ['delete', 'backspace', 'kill-word-left']],
  ['é日👩‍👩‍👧', ['text:é日👩‍👩‍👧']],
  ['\x1b[<0;1;1M\x1b[Ix', ['text:x']],
])('%j', (chunk, keys) => {
  expect(keysIn(read([chunk]))).toEqual(keys)
  // The same in single characters.
  const single = read([...chunk])
  expect(single.filter(({ kind }) => kind === 'key')).toEqual(
    read([chunk]).filter(({ kind }) => kind === 'key'),
  )
  expect(textIn(single, 'text')).toBe(textIn(read([chunk]), 'text'))
})

test('a lone Esc is a key when nothing follows it for a while', () => {
  expect(keysIn(read(['\x1b', 'b'], { isGuarded: false, gap: 1000 }))).toEqual(['escape', 'text:b'])
})

describe('a paste', () => {
  const paste = `${start}one\r\ntwo\r\ty\x1b[31m red\x1b[0m\x07\r${end}`
  const wanted = 'one\ntwo\n\ty red\n'

  test('is one text, however it is cut, without escapes', () => {
    for (let at = 1; at < paste.length; at += 1) {
      const inputs = read([paste.slice(0, at), paste.slice(at)])
      expect(inputs.every(({ kind }) => kind === 'paste')).toBe(true)
      expect(textIn(inputs, 'paste')).toBe(wanted)
    }
    expect(textIn(read([...paste]), 'paste')).toBe(wanted)
  })

  test('keys before and after it are keys', () => {
    expect(keysIn(read([`a${paste}\r`]))).toEqual(['text:a', `paste:${wanted}`, 'enter'])
  })

  test('with an end marker inside goes on to the last one', () => {
    expect(keysIn(read([`${start}a${end}y\r${end}`]))).toEqual(['paste:ay\n'])
  })

  test('with markers inside sends nothing, also when it comes in pieces', () => {
    for (const chunks of [
      [`${start}a${end}/clear\r${start}b${end}`],
      [`${start}a${end}`, `/clear\r${end}`],
      [`${start}a${end}`, '/clear\rmore', `\r${end}`],
    ])
      expect(read(chunks).every(({ kind }) => kind === 'paste')).toBe(true)
    expect(keysIn(read([`${start}a${end}`, 'b', '\r']))).toEqual(['paste:a', 'text:b', 'enter'])
  })

  test('at an approval, what follows it at once is pasted as well', () => {
    const guarded = { isGuarded: true, gap: 20 }
    for (const chunks of [[`${start}${end}y\r`], [`${start}${end}`, 'y', '\r', end]]) {
      const inputs = read(chunks, guarded)
      expect(textIn(inputs, 'text')).toBe('')
      expect(inputs.every(({ kind }) => kind === 'paste')).toBe(true)
    }
    const later = read([`${start}${end}`, 'y\r'], { isGuarded: true, gap: 300 })
    expect(keysIn(later)).toEqual(['text:y', 'enter'])
  })

  test('at an approval, lines that arrive together count as pasted', () => {
    expect(keysIn(read(['y\ry\r'], { isGuarded: true, gap: 1 }))).toEqual(['paste:y\ny\n'])
    expect(keysIn(read(['y\r'], { isGuarded: true, gap: 1 }))).toEqual(['text:y', 'enter'])
  })

  test('without an end is left with Ctrl-C', () => {
    expect(keysIn(read([`${start}abc`, '\x03', 'd']))).toEqual(['paste:abc', 'interrupt', 'text:d'])
  })
})

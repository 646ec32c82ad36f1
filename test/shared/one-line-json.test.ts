import { expect, test } from 'vitest'
import { oneLineJson } from '../../src/shared/one-line-json.ts'

test('JSON has no line break of Unicode, and the same value', () => {
  const value = { 'k\u2028': 'a\u0085b\u2028c\u2029d\\\u2028 é 界 😀 \ud800 \\u2028' }
  const json = oneLineJson(JSON.stringify(value))
  expect(json).not.toMatch(/[\u0085\u2028\u2029]/)
  expect(json).toContain(String.raw`a\u0085b\u2028c\u2029d\\\u2028 é`)
  expect(JSON.parse(json)).toEqual(value)
})

test('other JSON stays the same text', () => {
  for (const text of ['{"a":"é"}', '{"a":"界 😀"}', '""']) expect(oneLineJson(text)).toBe(text)
})

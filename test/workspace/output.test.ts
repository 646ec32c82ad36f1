import { expect, test } from 'vitest'
import { createLiveOutput } from '../../src/workspace/live-output.ts'
import { createOutputTail } from '../../src/workspace/output-tail.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

test('the tail of an output is cut between two characters, at every limit', () => {
  const text = 'aé€😀b'.repeat(3)
  const whole = bytes(text)
  for (let limit = 0; limit <= whole.length + 1; limit += 1) {
    const tail = createOutputTail(limit)
    for (const byte of whole) tail.push(Uint8Array.of(byte))
    const shown = tail.text()
    expect(text.endsWith(shown.text)).toBe(true)
    expect(bytes(shown.text).length).toBeLessThanOrEqual(limit)
    expect(bytes(shown.text).length).toBeGreaterThan(Math.min(limit, whole.length) - 4)
    expect(shown.isTruncated).toBe(limit < whole.length)
  }
})

test('half a character at the end waits for its other half', () => {
  const tail = createOutputTail(100)
  tail.push(bytes('aé').subarray(0, 2))
  expect(tail.text()).toEqual({ text: 'a', isTruncated: false })
  tail.push(bytes('é').subarray(1))
  expect(tail.text()).toEqual({ text: 'aé', isTruncated: false })
})

test('memory stays bounded for endless output', () => {
  const tail = createOutputTail(1000)
  const chunk = new Uint8Array(64 * 1024).fill(97)
  for (let count = 0; count < 1000; count += 1) tail.push(chunk)
  expect(tail.text().text).toBe('a'.repeat(1000))
})

test('who follows later gets what was shown before', () => {
  const live = createLiveOutput()
  const first: string[] = []
  const later: string[] = []
  live.follow((text) => first.push(text))
  live.push(bytes('one é').subarray(0, 5))
  live.push(bytes('é').subarray(1))
  live.end()
  live.follow((text) => later.push(text))
  expect([first.join(''), later.join('')]).toEqual(['one é', 'one é'])
})

test('of a lot of output at once, the end is shown, and that something is missing', () => {
  const live = createLiveOutput()
  const shown: [number, boolean][] = []
  live.follow((text, gap) => shown.push([text.length, gap]))
  live.push(bytes('line\n'.repeat(100_000)))
  live.end()
  expect(shown).toHaveLength(1)
  expect(shown[0]?.[0]).toBeLessThanOrEqual(16 * 1024)
  expect(shown[0]?.[1]).toBe(true)
})

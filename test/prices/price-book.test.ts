import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { loadPriceBook } from '../../src/prices/price-book.ts'
import { createPriceList } from '../../src/prices/price-list.ts'
import { priceListName, priceListVersion } from '../../src/prices/price-list-version.ts'

const directories: string[] = []
afterEach(() => {
  for (const each of directories.splice(0)) rmSync(each, { recursive: true })
})
const openBook = async (content?: string) => {
  const data = mkdtempSync(join(tmpdir(), 'sluice-prices-'))
  directories.push(data)
  const errors: string[] = []
  if (content !== undefined) writeFileSync(join(data, 'prices.json'), content)
  const book = await loadPriceBook(data, { onError: (cause) => errors.push(String(cause)) })
  return { book, data, errors }
}

const million = 1_000_000

test('the version that is shown is the one that is installed', () => {
  const path = new URL('../../node_modules/@pydantic/genai-prices/package.json', import.meta.url)
  expect(JSON.parse(readFileSync(path, 'utf8')).version).toBe(priceListVersion.version)
})

describe('the price list', () => {
  const list = createPriceList(() => new Date('2026-09-30T12:00:00Z'))

  test('prices input, output, cache reads and cache writes', () => {
    const tokens = { input: 100_000, output: 10_000, cacheRead: 50_000, cacheWrite: 20_000 }
    const expected = (100_000 * 5 + 10_000 * 25 + 50_000 * 0.5 + 20_000 * 6.25) / million
    expect(list.costOf('claude-opus-4-5', tokens)).toBeCloseTo(expected, 10)
  })

  test('prices what is cached for an hour higher, where the list does', () => {
    const tokens = { cacheWrite: million, cacheWrite1h: 400_000 }
    expect(list.costOf('claude-opus-4-5', tokens)).toBeCloseTo(0.6 * 6.25 + 0.4 * 10, 10)
    expect(list.costOf('gpt-5', tokens)).toBeCloseTo(1.25, 10)
    expect(list.costOf('claude-opus-4-5', { cacheWrite1h: 5 })).toBe(0)
  })

  test('prices a long context by its tier, counting what was cached', () => {
    const tokens = { input: 1000, cacheRead: 250_000, output: 1000 }
    const expected = (1000 * 6 + 250_000 * 0.6 + 1000 * 22.5) / million
    expect(list.costOf('claude-sonnet-4-5', tokens)).toBeCloseTo(expected, 10)
    expect(list.find('claude-sonnet-4-5')?.price).toMatchObject({
      input: 3,
      output: 15,
      tiers: [{ above: 200_000, input: 6, output: 22.5 }],
    })
  })

  test('prices batch routes as the list has them', () => {
    const [plain, batch] = ['openai/gpt-6-luna', 'openai/gpt-6-luna:batch'].map((model) =>
      list.costOf(model, { input: million }),
    )
    expect(batch).toBeCloseTo((plain ?? 0) / 2, 10)
    expect(plain).toBeGreaterThan(0)
  })

  test('prices web searches, as Claude Code does', () => {
    expect(list.costOf('claude-opus-4-5', { webSearchRequests: 3 })).toBeCloseTo(0.03, 10)
  })

  test.each([
    ['claude-sonnet-4-5-20250929', 'anthropic'],
    ['claude-sonnet-4-5[1m]', 'anthropic'],
    ['claude-sonnet-4-5@20250929', 'anthropic'],
    ['anthropic/claude-sonnet-4.5', 'openrouter'],
    ['openai/gpt-5', 'openrouter'],
    ['eu.anthropic.claude-sonnet-4-5-20250929-v1:0', 'aws'],
    ['gemini-2.5-pro', 'google'],
  ])('finds %s at %s', (model, provider) => {
    expect(list.find(model)).toMatchObject({ provider })
  })

  test.each(['homemade', '', 'unknown', '__proto__', 'x'.repeat(100_000), 'a/b/c', '[1m]'])(
    'has no price for a model that it does not know (%#)',
    (model) => {
      expect(list.costOf(model, { input: 5 })).toBeUndefined()
      expect(list.find(model)).toBeUndefined()
    },
  )

  test('lists its models, each with a price', async () => {
    const models = await list.models()
    expect(models.length).toBeGreaterThan(500)
    expect(models.find(({ id }) => id === 'claude-opus-4-5')).toMatchObject({
      provider: 'anthropic',
      price: { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 },
    })
  })
})

describe('own prices', () => {
  test('come before the price list, and are named as own prices', async () => {
    const { book } = await openBook()
    const tokens = { input: million }
    expect(book.costOf('claude-opus-4-5', tokens)).toEqual({ usd: 5, list: priceListName })
    book.own.set('claude-opus-4-5', { input: 4, output: 20 })
    expect(book.costOf('claude-opus-4-5', tokens)).toEqual({ usd: 4, list: 'own prices' })
    expect(book.find('claude-opus-4-5')).toMatchObject({ source: 'own', price: { input: 4 } })
    expect(book.own.remove('claude-opus-4-5')).toBe(true)
    expect(book.own.remove('claude-opus-4-5')).toBe(false)
    expect(book.costOf('claude-opus-4-5', tokens)).toMatchObject({ usd: 5 })
  })

  test('hold for the dated name of a model and for its larger window', async () => {
    const { book } = await openBook()
    book.own.set('homemade', { input: 1, output: 2 })
    for (const model of ['homemade', 'homemade-20260101', 'homemade[1m]'])
      expect(book.costOf(model, { output: million })).toMatchObject({ usd: 2 })
    expect(book.costOf('homemade-2', { output: million })).toBeUndefined()
  })

  test('price cached tokens like input unless they say otherwise, and long contexts by tier', async () => {
    const { book } = await openBook()
    const tiers = [
      { above: 500_000, input: 4, output: 8 },
      { above: 100_000, input: 2, output: 4, cacheRead: 0 },
    ]
    book.own.set('m', { input: 1, output: 2, tiers })
    expect(book.costOf('m', { input: 50_000, cacheRead: 50_000 })?.usd).toBeCloseTo(0.1, 10)
    expect(book.costOf('m', { input: 100_000, cacheRead: 100_000 })?.usd).toBeCloseTo(0.2, 10)
    expect(book.costOf('m', { input: million, output: million })?.usd).toBeCloseTo(12, 10)
  })

  test('are read again when the file changes, and the file is private', async () => {
    const { book, data } = await openBook()
    const other = await loadPriceBook(data, { onError() {} })
    other.own.set('homemade', { input: 3, output: 3 })
    expect(book.costOf('homemade', { input: million })?.usd).toBe(3)
    expect(statSync(join(data, 'prices.json')).mode & 0o777).toBe(0o600)
  })

  test.each([
    '{',
    '[]',
    '{"models":{"m":{"input":-1,"output":1}}}',
    '{"models":{"m":{"input":1}}}',
  ])('that cannot be read are reported once, and the price list is used: %s', async (content) => {
    const { book, errors } = await openBook(content)
    for (let times = 0; times < 3; times += 1)
      expect(book.costOf('claude-opus-4-5', { input: million })?.usd).toBe(5)
    expect(errors).toHaveLength(1)
    expect(errors[0]).toContain('prices.json cannot be read')
    expect(() => book.own.set('m', { input: 1, output: 1 })).toThrow('cannot be read')
  })
})

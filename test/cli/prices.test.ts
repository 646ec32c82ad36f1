import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { priceTable } from '../../src/cli/price-table.ts'
import { priceListName } from '../../src/prices/price-list-version.ts'
import { temporaryDirectory } from '../log/samples.ts'
import { sluice } from '../support/sluice.ts'

test('own prices are set, listed, used first and removed', async () => {
  const data = join(temporaryDirectory('prices-verb'), 'new')
  const prices = (...args: string[]) => sluice(['prices', ...args, '--data', data])
  const empty = await prices()
  expect(empty).toMatchObject({ code: 0, stderr: '' })
  expect(empty.stdout).toContain(`Price list: ${priceListName}, `)
  expect(empty.stdout).toContain('You have set no prices of your own.')

  const set = await prices('set', 'claude-opus-4-5', '--input', '4', '--output', '20.5')
  expect(set).toMatchObject({ code: 0, stderr: '' })
  expect(set.stdout).toContain(`It replaces the one of ${priceListName}.`)
  expect(JSON.parse(readFileSync(join(data, 'prices.json'), 'utf8'))).toEqual({
    models: { 'claude-opus-4-5': { input: 4, output: 20.5 } },
  })
  expect(statSync(data).mode & 0o777).toBe(0o700)

  const listed = await prices('claude-opus-4-5', '--json')
  const rows = listed.stdout
    .split('\n')
    .slice(0, 2)
    .map((line) => JSON.parse(line))
  expect(rows).toMatchObject([
    { model: 'claude-opus-4-5', provider: null, input: 4, priceList: 'own prices' },
    { model: 'claude-opus-4-5', provider: 'anthropic', input: 5, priceList: priceListName },
  ])
  expect(await prices('unset', 'claude-opus-4-5')).toMatchObject({ code: 0 })
  expect(await prices('unset', 'claude-opus-4-5')).toMatchObject({
    code: 1,
    stderr: 'sluice: you have set no price for claude-opus-4-5.\n',
  })
})

test('a model without a price, wrong amounts and a broken file have clear errors', async () => {
  const data = temporaryDirectory('prices-errors')
  const prices = (...args: string[]) => sluice(['prices', ...args, '--data', data])
  const unknown = await prices('no-such-model')
  expect(unknown).toMatchObject({ code: 1, stdout: '' })
  expect(unknown.stderr).toContain('no model matches “no-such-model”')
  const wrong = await prices('set', 'm', '--input', 'free', '--output', '1')
  expect(wrong).toMatchObject({ code: 2 })
  expect(wrong.stderr).toContain('Give an amount in US dollars, such as 3 or 0.25.')
  const half = await prices('set', 'm', '--input', '1', '--output', '1', '--above', '200000')
  expect(half).toMatchObject({ code: 2 })
  writeFileSync(join(data, 'prices.json'), '{')
  const broken = await prices()
  expect(broken).toMatchObject({ code: 2, stdout: '' })
  expect(broken.stderr).toContain('prices.json cannot be read')
})

test('the table fits 80 and 40 columns', () => {
  const row = { provider: 'aws', priceList: 'list', input: 3, output: 15, cacheRead: 0.0375 }
  const tiers = [{ above: 200_000, input: 6, output: 22.5 }]
  const rows = [{ model: `global.anthropic.${'x'.repeat(60)}`, ...row, tiers }]
  for (const width of [80, 40]) {
    const lines = priceTable(rows, width).trimEnd().split('\n')
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width)
    expect(lines.join('\n')).toContain('0.0375')
    expect(lines.join('\n')).toContain('above 200,000 tokens')
  }
})

import { realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createClient } from '../../../src/client/client.ts'
import { fixedPrices } from '../../../src/ledger/prices.ts'
import { priceListVersion } from '../../../src/prices/price-list-version.ts'
import { openSluice, type SluiceOptions } from '../../../src/sluice/sluice.ts'
import { temporaryDirectory } from '../../log/samples.ts'

const serve = async (options: Partial<SluiceOptions> = {}) => {
  const data = join(realpathSync(temporaryDirectory('price-routes')), 'data')
  const http = { port: 0, auth: false }
  const sluice = await openSluice({ data, sandbox: 'off', http, ...options })
  onTestFinished(() => sluice.close())
  return { data, log: sluice.log, client: createClient({ url: sluice.server?.url ?? '' }) }
}

test('prices are listed, set, used before the list, and removed; the audit says who did it', async () => {
  const { client, log } = await serve()
  const empty = await client.prices()
  expect(empty).toMatchObject({ models: [], more: false })
  expect(empty.priceList).toMatchObject({ version: priceListVersion.version })
  expect(await client.prices({ search: 'claude', limit: 1 })).toMatchObject({ more: true })

  const price = { input: 4, output: 20, tiers: [{ above: 1000, input: 8, output: 40 }] }
  const set = await client.setPrice({ model: 'claude-opus-4-5', price })
  expect(set.models.slice(0, 2)).toMatchObject([
    { model: 'claude-opus-4-5', provider: null, price },
    { model: 'claude-opus-4-5', provider: 'anthropic', price: { input: 5 } },
  ])
  expect((await client.prices()).models).toHaveLength(1)
  await client.setPrice({ model: 'claude-opus-4-5', price: null })
  expect((await client.prices()).models).toEqual([])
  const entries = await log.audit.list({ limit: 10 })
  expect(entries.map(({ action }) => action)).toEqual(
    expect.arrayContaining(['price_set', 'price_removed']),
  )
})

test('wrong prices are refused, and a file that cannot be read is a problem of its own', async () => {
  const { client, data } = await serve()
  const wrong = client.setPrice({ model: 'm', price: { input: -1, output: 1 } })
  await expect(wrong).rejects.toMatchObject({ status: 422, code: 'invalid' })
  writeFileSync(join(data, 'prices.json'), '{')
  await expect(client.prices()).rejects.toMatchObject({ status: 409, code: 'prices_unreadable' })
})

test('a program that brings its own prices has none to show or change', async () => {
  const { client } = await serve({ prices: fixedPrices({}, 'mine') })
  expect(await client.prices({ search: 'claude' })).toEqual({ models: [], more: false })
  await expect(client.setPrice({ model: 'm', price: null })).rejects.toMatchObject({ status: 404 })
})

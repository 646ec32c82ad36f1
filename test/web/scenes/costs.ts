import type { Browser } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { createPages } from '../support/pages.ts'
import { startSluice } from '../support/server.ts'
import { smallTargets } from '../support/small-targets.ts'
import { storeUses } from '../support/stored-money.ts'

/** The page about money. */
export const costs = (browser: Browser): unknown =>
  describe('the cost', () => {
    test('is shown by day and by model with its source, and names models without a price', async () => {
      const server = await startSluice({
        before: (data) =>
          storeUses(
            data,
            { id: 'today', model: 'opus', costUsd: 1.5, tokens: 1000, hoursAgo: 0 },
            { id: 'before', model: 'haiku', costUsd: 0.25, tokens: 4000, hoursAgo: 49 },
            { id: 'local', model: 'local/qwen', tokens: 2000, hoursAgo: 49 },
            { id: 'old', model: 'opus', costUsd: 40, tokens: 2000, hoursAgo: 24 * 60 },
          ),
      })
      const pages = createPages(browser, server)
      try {
        const page = await pages.open()
        await page.getByRole('link', { name: 'Cost' }).click()
        const total = page.getByRole('region', { name: 'Total' })
        await total.getByText('$1.75', { exact: true }).waitFor()
        await total.getByText('$1.75 computed from token prices.').waitFor()
        await total.getByText('local/qwen').waitFor()
        const days = page.getByRole('region', { name: 'By day' }).locator('tbody tr')
        expect(await days.count()).toBe(2)
        expect(await days.first().innerText()).toMatch(/\$1\.50\s+computed/)
        expect(await days.last().innerText()).toMatch(/\$0\.25\s+computed \+ unpriced/)
        const block = page.getByRole('region', { name: 'Five-hour blocks' })
        await block.getByText(/the running block ends/).waitFor()
        const models = page.getByRole('region', { name: 'By model' })
        await models.getByRole('row', { name: /local\/qwen .*unpriced/ }).waitFor()

        await page.getByLabel('Time').selectOption('All time')
        await total.getByText('$41.75', { exact: true }).waitFor()
        await page.getByLabel('Group by').selectOption('Session')
        const sessions = page.getByRole('region', { name: 'By session' })
        await sessions.getByRole('link', { name: 'old' }).click()
        await page.waitForURL(`${server.url}sessions/old`)

        const prices = await pages.open('prices')
        await prices.getByText('No prices were set here.').waitFor()
        await prices.getByText('Set a price').click()
        await prices.getByRole('button', { name: 'Set price' }).click()
        await prices.getByRole('alert').getByText('Name a model.').waitFor()
        await prices.getByLabel('Model', { exact: true }).fill('local/qwen')
        await prices.getByLabel('Input').fill('0')
        await prices.getByLabel('Output').fill('0.40')
        await prices.getByRole('button', { name: 'Set price' }).click()
        const own = prices.getByRole('row', { name: /local\/qwen.*set here/ })
        await own.getByText('$0.40').waitFor()
        await prices.getByLabel('Search models').fill('claude-haiku')
        await prices
          .getByRole('row', { name: /claude-haiku.*anthropic/ })
          .first()
          .waitFor()
        await prices.getByLabel('Search models').fill('')
        await own.getByRole('button', { name: 'Remove the price of local/qwen' }).click()
        await own.waitFor({ state: 'detached' })

        const phone = await pages.open('cost', { phone: true })
        await phone.getByText('$1.75', { exact: true }).waitFor()
        // A bar of the same amount is as long in each row, whatever stands beside it.
        const rows = phone.getByRole('region', { name: 'By day' })
        const cells = rows.locator('tbody .cost-bar-cell')
        const widths = await cells.evaluateAll((all) => all.map((cell) => cell.clientWidth))
        expect(widths[0]).toBeGreaterThan(100)
        expect(new Set(widths).size).toBe(1)
        expect(await smallTargets(phone)).toEqual([])
        expect(await phone.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
        await pages.closeAll()
      } finally {
        await server.close()
      }
    })
  })

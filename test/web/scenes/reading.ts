import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { sendMessage } from '../support/pages.ts'
import type { Scene } from './scene.ts'

/** Reading while the agent writes. */
export const reading: Scene = (setup) =>
  describe('a reader', () => {
    test('stays at the end, or where they have scrolled to', async () => {
      const { pages, server } = setup()
      const { id } = await server.createSession('Read')
      const page = await pages.openSession(id)
      await sendMessage(page, 'a long answer')
      await expect.poll(() => overflow(page)).toBeGreaterThan(300)
      expect(await fromEnd(page)).toBeLessThan(60)
      await page.locator('.entry-scroll').hover()
      await page.mouse.wheel(0, -250)
      await page.getByRole('button', { name: 'Jump to latest' }).waitFor()
      const position = await offset(page)
      const before = await overflow(page)
      await expect.poll(() => overflow(page)).toBeGreaterThan(before + 100)
      expect(Math.abs((await offset(page)) - position)).toBeLessThan(5)
      await page.getByRole('button', { name: 'Jump to latest' }).click()
      await server.runsEnded(id)
      await page.getByText('That was long.').waitFor()
      expect(await fromEnd(page)).toBeLessThan(60)
    })

    test('starts at the end, whatever the rows are', async () => {
      const { pages, server } = setup()
      const { id } = await server.createSession('Rows of all kinds')
      for (let run = 1; run <= 12; run += 1) {
        await server.client.sessions.prompt(id, run % 4 === 0 ? 'parallel' : 'think')
        await server.runsEnded(id, run)
      }
      for (const phone of [false, true]) {
        const page = await pages.openSession(id, { phone })
        await page.locator('.row').first().waitFor()
        await expect.poll(() => fromEnd(page)).toBeLessThan(2)
        expect(await page.getByRole('button', { name: 'Jump to latest' }).count()).toBe(0)
      }
    })

    test('sees when a session or page does not exist', async () => {
      const { pages } = setup()
      const page = await pages.openSession('nothing')
      await page.getByRole('heading', { name: 'Session not found' }).waitFor()
      await page.getByRole('link', { name: 'All sessions' }).click()
      await page.getByRole('searchbox', { name: 'Search all sessions' }).waitFor()
      await page.goto(`${page.url()}nowhere`)
      await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    })
  })

const list = (page: Page) => page.locator('.entry-scroll')
const offset = (page: Page) => list(page).evaluate((element) => element.scrollTop)
const overflow = (page: Page) =>
  list(page).evaluate((element) => element.scrollHeight - element.clientHeight)
const fromEnd = async (page: Page) => (await overflow(page)) - (await offset(page))

import type { Browser } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { storeSessions } from '../support/long-session.ts'
import { createPages } from '../support/pages.ts'
import { startSluice } from '../support/server.ts'

const entries = 10_000
const id = 'long'

export const longSession = (browser: Browser): unknown =>
  describe('a session of 10,000 entries', () => {
    test('opens at its end and scrolls smoothly', async () => {
      const server = await startSluice({ before: (data) => storeSessions(data, { id, entries }) })
      const pages = createPages(browser, server)
      try {
        const page = await pages.openSession(id)
        await page.getByText(`Answer ${entries / 4} `).waitFor()
        const list = page.locator('.entry-scroll')
        const fromEnd = () =>
          list.evaluate((box) => box.scrollHeight - box.clientHeight - box.scrollTop)
        await expect.poll(fromEnd).toBeLessThan(2)
        expect(await page.getByRole('button', { name: 'Jump to latest' }).count()).toBe(0)
        expect(await page.locator('.row').count()).toBeLessThan(200)
        await page.evaluate(watchTasks)
        const box = await list.boundingBox()
        await page.mouse.move((box?.x ?? 0) + 200, (box?.y ?? 0) + 200)
        for (let step = 0; step < 60; step += 1) await page.mouse.wheel(0, -1500)
        await list.evaluate((element) => element.scrollTo(0, element.scrollHeight / 2))
        for (let step = 0; step < 60; step += 1) await page.mouse.wheel(0, 900)
        const top = page.getByText('Question 1 of many', { exact: true })
        // Some wheel events may still be pending.
        const isTop = () =>
          list.evaluate((element) => element.scrollTo(0, 0)).then(() => top.count())
        await expect.poll(isTop).toBe(1)
        const tasks = await page.evaluate(() => window.longTasks ?? [])
        expect(Math.max(0, ...tasks)).toBeLessThan(200)
        await page.getByRole('button', { name: 'Jump to latest' }).click()
        await page.getByText(`Answer ${entries / 4} `).waitFor()
        await pages.closeAll()
      } finally {
        await server.close()
      }
    })
  })

declare global {
  interface Window {
    longTasks?: number[]
  }
}

/** Records the duration of each long task of the page from now on. */
const watchTasks = () => {
  window.longTasks = []
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.longTasks?.push(duration)
  })
  observer.observe({ type: 'longtask' })
}

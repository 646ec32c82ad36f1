import type { Browser } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { createPages } from '../support/pages.ts'
import { startSluice } from '../support/server.ts'
import { storeMarked } from '../support/stored-money.ts'

/** Sessions that a page marks: imported ones, and those whose budget is nearly used. */
export const markedSessions = (browser: Browser): unknown =>
  describe('a marked session', () => {
    test('is read-only if imported, warns of its budget, and a cost without a price is unknown', async () => {
      const server = await startSluice({ before: storeMarked })
      const pages = createPages(browser, server)
      try {
        const page = await pages.openSession('read-only')
        await page.getByText('This session is read-only.').waitFor()
        await page.getByText('Keys, tokens, addresses and home paths').waitFor()
        expect(await page.getByLabel('Message to the agent').count()).toBe(0)
        await page.getByRole('button', { name: 'More' }).click()
        const item = (name: string) => page.getByRole('menuitem', { name })
        expect(await item('Compact context').isDisabled()).toBe(true)
        expect(await item('Replay session…').isDisabled()).toBe(false)
        await page.keyboard.press('Escape')
        await page.locator('.session-row', { hasText: 'Imported' }).waitFor({ state: 'attached' })

        const warned = await pages.openSession('nearly-used')
        await warned.getByText('$1.70 of $2.00 for this session.').waitFor()
        await warned.getByLabel('Message to the agent').waitFor()

        const loop = await pages.open('loops/unpriced')
        await loop.getByText('Unknown of $3.00').waitFor()
        await loop.getByText('No price is known for local/qwen.').waitFor()
        await pages.closeAll()
      } finally {
        await server.close()
      }
    })
  })

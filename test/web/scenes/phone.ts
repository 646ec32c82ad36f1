import { describe, expect, test } from 'vitest'
import { firstApproval, readToEnd } from '../support/pages.ts'
import type { Scene } from './scene.ts'

export const phone: Scene = (setup) =>
  describe('a phone', () => {
    test('shows everything without scrolling sideways', async () => {
      const { pages, server } = setup()
      const { id } = await server.createSession('Pocket')
      const page = await pages.openSession(id, { phone: true })
      const fits = async () =>
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
          360,
        )
      await page.getByLabel('Message to the agent').fill('Show me around')
      await page.getByRole('button', { name: 'Send' }).tap()
      const card = await firstApproval(page)
      await fits()
      await card.getByRole('button', { name: 'Allow', exact: true }).tap()
      const edit = page.locator('.approval', { hasText: 'Allow edit?' })
      await edit.waitFor()
      await fits()
      await readToEnd(edit)
      // Cards ignore the second tap of a double tap. After a tap elsewhere, the next one is a first.
      await edit.getByRole('heading').tap()
      await edit.getByRole('button', { name: 'Allow', exact: true }).tap()
      await server.runsEnded(id)
      for (const name of ['Changes', 'Usage', 'Events', 'Rules']) {
        await page.getByRole('button', { name }).tap()
        await page.getByRole('complementary').waitFor()
        await fits()
        await page.getByRole('button', { name: 'Close panel' }).tap()
      }
      await page.getByRole('link', { name: 'All sessions' }).tap()
      await page.getByRole('link', { name: /Pocket/ }).waitFor()
      await fits()
    })
  })

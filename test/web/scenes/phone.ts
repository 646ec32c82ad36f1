import { describe, expect, test } from 'vitest'
import { firstApproval, readToEnd } from '../support/pages.ts'
import { smallTargets } from '../support/small-targets.ts'
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
      expect(await smallTargets(page)).toEqual([])
      await page.locator('.tool-subject').last().waitFor()
      // A panel takes the place of the conversation only: the request stays in reach.
      for (const size of [
        { width: 360, height: 740 },
        { width: 900, height: 700 },
      ]) {
        await page.setViewportSize(size)
        await page.getByRole('button', { name: 'Usage' }).tap()
        const panel = page.getByRole('complementary')
        await panel.getByText('Input').first().waitFor()
        await card.getByRole('button', { name: 'Allow', exact: true }).tap({ trial: true })
        const [above, below] = [await panel.boundingBox(), await card.boundingBox()]
        expect((above?.y ?? 0) + (above?.height ?? 0)).toBeLessThanOrEqual((below?.y ?? 0) + 1)
        expect(above?.height).toBeGreaterThan(140)
        expect(await smallTargets(page)).toEqual([])
        await page.getByRole('button', { name: 'Close panel' }).tap()
      }
      await page.setViewportSize({ width: 360, height: 740 })
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
        expect(await smallTargets(page)).toEqual([])
        await page.getByRole('button', { name: 'Close panel' }).tap()
      }
      await page.getByRole('link', { name: 'All sessions' }).tap()
      await page.getByRole('link', { name: /Pocket/ }).waitFor()
      await fits()
      expect(await smallTargets(page)).toEqual([])
    })

    test('shows the end of a long path, relative to the project', async () => {
      const { pages, server } = setup()
      const { id } = await server.createSession('Paths')
      const page = await pages.openSession(id, { phone: true })
      await server.client.sessions.prompt(id, 'parallel')
      const label = page.locator('.tool-subject .path-label').first()
      await label.waitFor()
      await label.locator('bdi').evaluate((text) => {
        text.textContent = `src/${'very/long/'.repeat(20)}name.ts`
      })
      const [box, text] = [await label.boundingBox(), await label.locator('bdi').boundingBox()]
      const endOf = (rectangle: typeof box) => (rectangle?.x ?? 0) + (rectangle?.width ?? 0)
      expect(text?.width).toBeGreaterThan((box?.width ?? 0) * 2)
      expect(Math.abs(endOf(text) - endOf(box))).toBeLessThan(2)
    })
  })

import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { say } from '../support/stage.ts'
import type { Scene } from './scene.ts'

/** Back and forth in time. */
export const replay: Scene = (world) =>
  describe('the past', () => {
    test('is shown as it was, plays, and leads back to now', async () => {
      const { stage, server } = world()
      const { id } = await server.begin('History')
      const page = await stage.openSession(id)
      await say(page, 'parallel')
      await page.getByText('Both are done.').waitFor()
      await server.settled(id)
      await page.getByRole('button', { name: 'More' }).click()
      await page.getByRole('menuitem', { name: /Replay session/ }).click()
      const slider = page.getByRole('slider', { name: 'Position' })
      await expect.poll(() => slider.getAttribute('max')).not.toBe('0')
      const end = Number(await slider.getAttribute('max'))
      const seen = new Map<number, string[]>()
      for (const part of [0.2, 0.5, 0.8]) {
        const place = Math.round(end * part)
        await slider.fill(String(place))
        await page.getByText(`${place} / ${end}`).waitFor()
        seen.set(place, await rowsOn(page))
      }
      expect(new Set([...seen.values()].map((texts) => texts.join())).size).toBe(3)
      for (const [place, texts] of [...seen].reverse()) {
        await slider.fill(String(place))
        await page.getByText(`${place} / ${end}`).waitFor()
        expect(await rowsOn(page)).toEqual(texts)
      }
      await slider.fill('0')
      expect(await page.locator('.message').count()).toBe(0)
      await page.getByRole('combobox', { name: 'Speed' }).selectOption('20')
      await page.getByRole('button', { name: 'Play' }).click()
      await page.getByText('Both are done.').waitFor()
      await page.getByRole('button', { name: 'Back to live' }).click()
      await page.getByLabel('Message to the agent').waitFor()
    })

    test('hides nothing that needs a person now', async () => {
      const { stage, server } = world()
      const { id } = await server.begin('Needed')
      const page = await stage.openSession(id)
      await say(page, 'think')
      await server.settled(id)
      await page.getByRole('button', { name: 'More' }).click()
      await page.getByRole('menuitem', { name: /Replay session/ }).click()
      await page.getByRole('slider', { name: 'Position' }).fill('3')
      await server.client.sessions.prompt(id, 'approve')
      await page.getByRole('button', { name: /^Allow A/ }).click()
      await server.settled(id, 2)
      await page.locator('.approval').waitFor({ state: 'detached' })
      await page.getByRole('slider', { name: 'Position' }).waitFor()
    })

    test('leads back to the end, however far back the reader was', async () => {
      const { stage, server } = world()
      const { id } = await server.begin('Long history')
      const page = await stage.openSession(id)
      await say(page, 'long')
      await server.settled(id)
      const last = page.getByText('That was long.')
      await last.waitFor()
      await page.getByRole('button', { name: 'More' }).click()
      await page.getByRole('menuitem', { name: /Replay session/ }).click()
      const slider = page.getByRole('slider', { name: 'Position' })
      await expect.poll(() => slider.getAttribute('max')).not.toBe('0')
      await slider.fill('30')
      await page.getByText(/^30 /).waitFor()
      await last.waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Back to live' }).click()
      await last.waitFor()
      expect(await page.getByRole('button', { name: 'Jump to latest' }).count()).toBe(0)
    })
  })

/** What the rows say, once all of them are drawn: a row is measured before it is shown. */
const rowsOn = async (page: Page): Promise<string[]> => {
  const rows = page.locator('.row')
  const texts = () => rows.allInnerTexts()
  await expect.poll(async () => (await texts()).includes('')).toBe(false)
  return texts()
}

import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { sendMessage } from '../support/pages.ts'
import type { Scene } from './scene.ts'

/** Looking at earlier moments of a session. */
export const replay: Scene = (setup) =>
  describe('a replay', () => {
    test('shows the session as it was, plays, and returns to the live session', async () => {
      const { pages, server } = setup()
      const { id } = await server.createSession('History')
      const page = await pages.openSession(id)
      await sendMessage(page, 'parallel')
      await page.getByText('Both are done.').waitFor()
      await server.runsEnded(id)
      await page.getByRole('button', { name: 'More' }).click()
      await page.getByRole('menuitem', { name: /Replay session/ }).click()
      const slider = page.getByRole('slider', { name: 'Position' })
      await expect.poll(() => slider.getAttribute('max')).not.toBe('0')
      const end = Number(await slider.getAttribute('max'))
      const seen = new Map<number, string[]>()
      for (const part of [0.2, 0.5, 0.8]) {
        const position = Math.round(end * part)
        await slider.fill(String(position))
        await page.getByText(`${position} / ${end}`).waitFor()
        seen.set(position, await rowTexts(page))
      }
      expect(new Set([...seen.values()].map((texts) => texts.join())).size).toBe(3)
      for (const [position, texts] of [...seen].reverse()) {
        await slider.fill(String(position))
        await page.getByText(`${position} / ${end}`).waitFor()
        expect(await rowTexts(page)).toEqual(texts)
      }
      await slider.fill('0')
      expect(await page.locator('.message').count()).toBe(0)
      await page.getByRole('combobox', { name: 'Speed' }).selectOption('20')
      await page.getByRole('button', { name: 'Play' }).click()
      await page.getByText('Both are done.').waitFor()
      await page.getByRole('button', { name: 'Back to live' }).click()
      await page.getByLabel('Message to the agent').waitFor()
    })

    test('does not hide approvals that are pending now', async () => {
      const { pages, server } = setup()
      const { id } = await server.createSession('Needed')
      const page = await pages.openSession(id)
      await sendMessage(page, 'think')
      await server.runsEnded(id)
      await page.getByRole('button', { name: 'More' }).click()
      await page.getByRole('menuitem', { name: /Replay session/ }).click()
      await page.getByRole('slider', { name: 'Position' }).fill('3')
      await server.client.sessions.prompt(id, 'approve')
      await page.getByRole('button', { name: 'Allow', exact: true }).click()
      await server.runsEnded(id, 2)
      await page.locator('.approval').waitFor({ state: 'detached' })
      await page.getByRole('slider', { name: 'Position' }).waitFor()
    })

    test('returns to the end of the conversation', async () => {
      const { pages, server } = setup()
      const { id } = await server.createSession('Long history')
      const page = await pages.openSession(id)
      await sendMessage(page, 'long')
      await server.runsEnded(id)
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

/** The text of the rows, once all are rendered: a row is measured before it is shown. */
const rowTexts = async (page: Page): Promise<string[]> => {
  const rows = page.locator('.row')
  const texts = () => rows.allInnerTexts()
  await expect.poll(async () => (await texts()).includes('')).toBe(false)
  return texts()
}

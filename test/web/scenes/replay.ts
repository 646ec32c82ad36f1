import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { sendMessage } from '../support/pages.ts'
import type { SluiceServer } from '../support/server.ts'
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

    test('shows the same moment in the header and in every panel', async () => {
      const { pages, server } = setup()
      const { id } = await server.createSession('Moments')
      await server.client.sessions.prompt(id, 'parallel')
      await server.runsEnded(id)
      await server.client.sessions.prompt(id, 'edit')
      await allowEdit(server, id)
      await server.runsEnded(id, 2)
      const page = await pages.openSession(id)
      const header = page.locator('.session-about')
      const panel = page.locator('.panel')
      const panelCost = async () =>
        (await panel.locator('.totals-cost td').first().innerText()).trim()
      const openPanel = (name: string) =>
        page.locator('.panel-buttons').getByRole('button', { name }).click()
      await openPanel('Changes')
      await panel.locator('.file').first().waitFor()
      await openPanel('Usage')
      const lastCost = await panelCost()
      await page.getByRole('button', { name: 'More' }).click()
      await page.getByRole('menuitem', { name: /Replay session/ }).click()
      const slider = page.getByRole('slider', { name: 'Position' })
      await expect.poll(() => slider.getAttribute('max')).not.toBe('0')

      // In the second run, while its edit waits for the person.
      const { events } = await server.client.sessions.events(id, { limit: 2000 })
      const asked = events.findIndex(
        (event) =>
          event.type === 'approval_request' && 'toolName' in event && event.toolName === 'edit',
      )
      await slider.fill(String(asked + 1))
      await header.getByText('Needs approval: edit').waitFor()
      await expect.poll(panelCost).not.toBe(lastCost)
      expect(await header.innerText()).toContain(await panelCost())
      await panel.getByText(/^As it was at /).waitFor()
      await openPanel('Changes')
      await panel.getByText('No files changed.').waitFor()
      await openPanel('Events')
      await expect
        .poll(() => panel.locator('.event-seq').first().innerText())
        .toBe(String(asked + 1))

      // After the edit, before the end of the run.
      const edited = events.findIndex(
        (event, index) => event.type === 'tool_result' && index > asked,
      )
      await slider.fill(String(edited + 1))
      await openPanel('Changes')
      await panel.locator('.file .diff-removed').first().waitFor()

      await slider.fill('0')
      await panel.getByText('Before the first event.').waitFor()
      await panel.getByText('No files changed.').waitFor()
      await openPanel('Usage')
      await panel.getByText('No usage yet.').waitFor()
      expect(await header.innerText()).not.toContain('$')
      await page.getByRole('button', { name: 'Back to live' }).click()
      await expect.poll(panelCost).toBe(lastCost)
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

/** Allows the edit of a session as soon as it waits for a person. */
const allowEdit = async ({ client }: SluiceServer, id: string): Promise<void> => {
  for await (const event of client.sessions.stream(id, { after: 0 })) {
    if (event.type !== 'approval_request') continue
    const { approvalId, hash } = event
    await client.approvals.answer(approvalId, { action: 'allow', ...(hash && { hash }) })
    return
  }
}

/** The text of the rows, once all are rendered: a row is measured before it is shown. */
const rowTexts = async (page: Page): Promise<string[]> => {
  const rows = page.locator('.row')
  const texts = () => rows.allInnerTexts()
  await expect.poll(async () => (await texts()).includes('')).toBe(false)
  return texts()
}

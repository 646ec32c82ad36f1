import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { configureAgents } from '../../support/configured-agents.ts'
import { createPages, firstApproval, type Pages, readToEnd, sendMessage } from '../support/pages.ts'
import { type SluiceServer, startSluice } from '../support/server.ts'
import { smallTargets } from '../support/small-targets.ts'

/** An agent of agents.json: it cannot be steered, and runs no call with other arguments. */
export const configuredAgent = (browser: Browser): unknown =>
  describe('an agent of agents.json', () => {
    let server: SluiceServer
    let pages: Pages
    beforeAll(async () => {
      server = await startSluice({
        before: async (data) => configureAgents(data, { mole: 'Garden Mole' }),
      })
      pages = createPages(browser, server)
    }, 60_000)
    afterEach(() => pages.closeAll())
    afterAll(() => server.close())

    test('has its title in the list, in the header, and before the first message', async () => {
      const { id } = await server.createSession('Named', 'mole')
      const page = await pages.open()
      const row = page.locator('.session-row', { hasText: 'Named' })
      await row.getByText('Garden Mole').waitFor()
      await row.click()
      await page.waitForURL(new RegExp(id))
      await page.locator('.session-about').getByText('Garden Mole').waitFor()
      await page
        .locator('.nothing-yet')
        .getByText(/^Garden Mole in/)
        .waitFor()
    })

    test('gets messages after the run, and no button promises more', async () => {
      const { id } = await server.createSession('Waiting', 'mole')
      const page = await pages.openSession(id)
      await sendMessage(page, 'wait')
      const send = page.locator('.composer .send-button')
      await expect.poll(() => send.innerText()).toBe('Queue')
      const field = page.getByRole('textbox', { name: 'Message to the agent' })
      expect(await field.getAttribute('placeholder')).toBe(
        'Enter queues a message for after this run',
      )
      await sendMessage(page, 'and later this')
      const queued = page.locator('.queue-item', { hasText: 'and later this' })
      await queued.getByRole('button', { name: 'Remove' }).waitFor()
      expect(await page.getByRole('button', { name: 'Steer' }).count()).toBe(0)
      expect(await queued.getByRole('button', { name: 'Send now' }).count()).toBe(0)
      await queued.getByRole('button', { name: 'Remove' }).click()
      await page.getByRole('button', { name: 'Stop' }).click()
      await server.runsEnded(id)
      await expect.poll(() => send.innerText()).toBe('Send')
    })

    test.each([
      { phone: false, name: 'Only this file', chosen: 'file' },
      { phone: true, name: 'The whole folder, once', chosen: 'folder' },
      { phone: false, name: 'Never in this folder', chosen: 'never' },
    ])('all its choices are buttons: $name', async ({ phone, name, chosen }) => {
      const { id } = await server.createSession(`Choosing ${name}`, 'mole')
      await server.client.sessions.prompt(id, 'ask twice')
      const page = await pages.openSession(id, { phone })
      const card = await firstApproval(page)
      await readToEnd(card)
      for (const label of ['Only this file', 'The whole folder, once', 'Never in this folder'])
        await card.getByRole('button', { name: label }).waitFor()
      await card.getByRole('button', { name: 'Reject…' }).waitFor()
      expect(await card.getByRole('button', { name: /Edit and allow/ }).count()).toBe(0)
      if (phone) expect(await smallTargets(page)).toEqual([])
      await card.getByRole('button', { name }).click()
      await page.getByText(`chosen: ${chosen}`, { exact: true }).waitFor()
    })

    test('the key of a form that is not offered opens nothing, and D denies', async () => {
      const { id } = await server.createSession('Keys', 'mole')
      await server.client.sessions.prompt(id, 'ask twice')
      const page = await pages.openSession(id)
      const card = await firstApproval(page)
      await readToEnd(card)
      await expect
        .poll(() => card.getByRole('button', { name: 'Only this file' }).isEnabled())
        .toBe(true)
      await card.focus()
      await page.keyboard.press('e')
      // Like every key without a meaning here, it begins a message.
      await expect.poll(() => page.locator('.composer textarea').inputValue()).toBe('e')
      await card.focus()
      await page.keyboard.press('d')
      await card.getByRole('button', { name: 'Deny', exact: true }).click()
      await page.getByText('chosen: no', { exact: true }).waitFor()
    })
  })

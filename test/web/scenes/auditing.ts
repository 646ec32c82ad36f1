import { describe, expect, test } from 'vitest'
import { createClient } from '../../../src/client/index.ts'
import { sendMessage } from '../support/pages.ts'
import type { Scene } from './scene.ts'

export const auditing: Scene = (setup) =>
  describe('the audit', () => {
    test('lists who did what, and is filtered by name and action', async () => {
      const { pages, server } = setup()
      const { id } = await server.createSession('Audited')
      const { key } = await server.client.keys.create({
        name: 'night job',
        scopes: ['read', 'prompt'],
        owner: 'Ada',
      })
      const job = createClient({ url: server.url, token: key })
      await job.sessions.prompt(id, 'think of the night')
      await server.runsEnded(id)

      const page = await pages.open('access')
      await page.getByRole('link', { name: 'Audit' }).click()
      const row = page.getByRole('row').filter({ hasText: 'think of the night' })
      await row.waitFor()
      expect(await row.innerText()).toMatch(/night job\s*API key, \S*127\.0\.0\.1/)
      expect(await row.innerText()).toContain('Sent a prompt')
      await page.getByLabel('What').selectOption('key_created')
      await page.getByRole('row').filter({ hasText: 'night job (' }).waitFor()
      expect(await row.count()).toBe(0)
      await page.getByLabel('Who').fill('nobody we know')
      await page.getByText('Nothing matches.').waitFor()
      await page.getByLabel('Who').fill('')
      await page.getByLabel('What').selectOption('')
      await row.getByRole('link', { name: 'Audited' }).click()
      await page.waitForURL(`${server.url}sessions/${id}`)
    })

    test('fits a phone', async () => {
      const { pages, server } = setup()
      const { id } = await server.createSession('Audited')
      await server.client.sessions.prompt(id, `think ${'without-a-space'.repeat(20)}`)
      await server.runsEnded(id)
      const page = await pages.open('audit', { phone: true })
      await page.getByRole('row').filter({ hasText: 'without-a-space' }).first().waitFor()
      const isTooWide = await page.evaluate(
        () => document.documentElement.scrollWidth > window.innerWidth,
      )
      expect(isTooWide).toBe(false)
    })

    test('a message of somebody else carries a name, and your own does not', async () => {
      const { pages, server } = setup()
      const { id } = await server.createSession('Two authors')
      const { key } = await server.client.keys.create({ name: 'colleague', scopes: ['prompt'] })
      await createClient({ url: server.url, token: key }).sessions.prompt(id, 'think first')
      await server.runsEnded(id)
      const page = await pages.openSession(id)
      await sendMessage(page, 'think second')
      await server.runsEnded(id, 2)
      const messages = page.locator('.message-user')
      await messages.nth(1).waitFor()
      expect(await messages.nth(0).innerText()).toContain('by colleague')
      expect(await messages.nth(1).innerText()).not.toContain('by ')
    })
  })

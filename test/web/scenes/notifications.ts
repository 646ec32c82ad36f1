import { describe, expect, test } from 'vitest'
import { watchNotifications } from '../support/watch-notifications.ts'
import type { Scene } from './scene.ts'

/** Browser notifications and announcements for screen readers. */
export const notifications: Scene = (setup) =>
  describe('a notification', () => {
    test('is shown once while the page is hidden, and opens the session', async () => {
      const { pages, server } = setup()
      const { id } = await server.createSession('Far away')
      const context = await pages.newContext()
      await context.grantPermissions(['notifications'], { origin: server.url })
      await context.addInitScript(watchNotifications)
      const page = await pages.open('', {}, context)
      expect(await page.getByRole('button', { name: 'Notify me' }).count()).toBe(0)
      const shown = () =>
        page.evaluate(() =>
          (window.notifications ?? []).map(({ title, body, tag }) => ({ title, body, tag })),
        )
      await server.client.sessions.prompt(id, 'approve')
      await page.getByRole('heading', { name: '1 request needs your input' }).waitFor()
      expect(await shown()).toEqual([])
      await server.client.sessions.abort(id)
      await server.runsEnded(id)
      await page.getByText('Nothing needs your input.').waitFor()
      await page.evaluate(() => {
        window.isPageHidden = true
      })
      await server.client.sessions.prompt(id, 'approve')
      await expect.poll(shown).toHaveLength(1)
      const [approval] = await server.client.approvals.list({ sessionId: id })
      expect(await shown()).toEqual([
        { title: 'Far away', body: 'Needs approval: bash', tag: approval?.approvalId },
      ])
      await page.evaluate(() => {
        window.isPageHidden = false
        window.notifications?.[0]?.dispatchEvent(new Event('click'))
      })
      await page.getByRole('heading', { level: 1, name: 'Far away' }).waitFor()
      expect(await shown()).toHaveLength(1)
      await server.client.sessions.abort(id)
    })

    test('is announced to screen readers while the page is visible', async () => {
      const { pages, server } = setup()
      const { id } = await server.createSession('Near')
      const page = await pages.open()
      await page.getByText('Nothing needs your input.').waitFor()
      // Screen readers announce changes only in an element that was there before.
      const announcement = await page.locator('main > [role="status"]').elementHandle()
      expect(await announcement?.textContent()).toBe('')
      await server.client.sessions.prompt(id, 'approve')
      await expect.poll(() => announcement?.textContent()).toBe('1 request needs your input')
      await server.client.sessions.abort(id)
    })

    test('is offered only until the user has decided', async () => {
      const { pages } = setup()
      const context = await pages.newContext()
      await context.addInitScript(() => {
        Object.defineProperty(Notification, 'permission', { get: () => 'default' })
        Notification.requestPermission = async () => 'granted'
      })
      const page = await pages.open('', {}, context)
      const button = page.getByRole('button', { name: 'Notify me' })
      await button.click()
      await button.waitFor({ state: 'detached' })
    })
  })

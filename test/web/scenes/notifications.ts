import { describe, expect, test } from 'vitest'
import type { Scene } from './scene.ts'

/** What the browser says outside of the page. */
export const notifications: Scene = (world) =>
  describe('a notification', () => {
    test('tells what needs a person who looks elsewhere, once, and leads there', async () => {
      const { stage, server } = world()
      const { id } = await server.begin('Far away')
      const context = await stage.newContext()
      await context.grantPermissions(['notifications'], { origin: server.url })
      await context.addInitScript(watchNotifications)
      const page = await stage.open('', {}, context)
      expect(await page.getByRole('button', { name: 'Notify me' }).count()).toBe(0)
      const shown = () =>
        page.evaluate(() =>
          (window.notifications ?? []).map(({ title, body, tag }) => ({ title, body, tag })),
        )
      await server.client.sessions.prompt(id, 'approve')
      await page.getByRole('heading', { name: '1 request needs your input' }).waitFor()
      expect(await shown()).toEqual([])
      await server.client.sessions.abort(id)
      await server.settled(id)
      await page.getByText('Nothing needs your input.').waitFor()
      await page.evaluate(() => {
        window.isAway = true
      })
      await server.client.sessions.prompt(id, 'approve')
      await expect.poll(shown).toHaveLength(1)
      const [asked] = await server.client.approvals.list({ sessionId: id })
      expect(await shown()).toEqual([
        { title: 'Far away', body: 'Needs approval: bash', tag: asked?.approvalId },
      ])
      await page.evaluate(() => {
        window.isAway = false
        window.notifications?.[0]?.dispatchEvent(new Event('click'))
      })
      await page.getByRole('heading', { level: 1, name: 'Far away' }).waitFor()
      expect(await shown()).toHaveLength(1)
      await server.client.sessions.abort(id)
    })

    test('is said aloud in a page that is looked at', async () => {
      const { stage, server } = world()
      const { id } = await server.begin('Near')
      const page = await stage.open()
      await page.getByText('Nothing needs your input.').waitFor()
      // What is said aloud is a change in something that was there before.
      const aloud = await page.locator('main > [role="status"]').elementHandle()
      expect(await aloud?.textContent()).toBe('')
      await server.client.sessions.prompt(id, 'approve')
      await expect.poll(() => aloud?.textContent()).toBe('1 request needs your input')
      await server.client.sessions.abort(id)
    })

    test('is offered only where it was not decided yet', async () => {
      const { stage } = world()
      const context = await stage.newContext()
      await context.addInitScript(() => {
        Object.defineProperty(Notification, 'permission', { get: () => 'default' })
        Notification.requestPermission = async () => 'granted'
      })
      const page = await stage.open('', {}, context)
      const button = page.getByRole('button', { name: 'Notify me' })
      await button.click()
      await button.waitFor({ state: 'detached' })
    })
  })

declare global {
  interface Window {
    notifications?: Notification[]
    /** The page is behind another one: a browser without a window never says so itself. */
    isAway?: boolean
  }
}

/** Keeps every notification that the page makes, and lets the test hide the page. */
const watchNotifications = () => {
  const kept: Notification[] = []
  window.notifications = kept
  window.Notification = class extends Notification {
    constructor(title: string, options?: NotificationOptions) {
      super(title, options)
      kept.push(this)
    }
  }
  // A Chromium without a window says `denied`, whatever was granted.
  Object.defineProperty(Notification, 'permission', { get: () => 'granted' })
  Object.defineProperty(document, 'hidden', { get: () => window.isAway === true })
}

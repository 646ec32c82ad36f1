import { describe, expect, test } from 'vitest'
import type { Scene } from './scene.ts'

/** The lists of sessions: in the overview, and beside an open session. */
export const lists: Scene = (setup) =>
  describe('a list of sessions', () => {
    test('begins with those that work, wait or failed, and keeps the open one in view', async () => {
      const { pages, server } = setup()
      const { sessions } = server.client
      const { id: opened } = await server.createSession('Opened first')
      const { id: waiting } = await server.createSession('Waiting long')
      const { id: failed } = await server.createSession('Failed once')
      for (const name of ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H']) await server.createSession(name)
      await sessions.prompt(failed, 'error')
      await server.runsEnded(failed)
      await sessions.prompt(waiting, 'approve')

      const page = await pages.openSession(opened)
      await page.setViewportSize({ width: 1280, height: 420 })
      const current = page.locator('.sidebar [aria-current]')
      await current.getByText('Opened first').waitFor()
      // It is below the others, so the list must have scrolled.
      const isInView = () =>
        current.evaluate((row) => {
          const list = row.closest('.sidebar-list')?.getBoundingClientRect()
          const box = row.getBoundingClientRect()
          return list !== undefined && box.top >= list.top - 1 && box.bottom <= list.bottom + 1
        })
      await expect.poll(isInView).toBe(true)

      await page.getByRole('link', { name: 'Another session needs you' }).click()
      await page.getByRole('heading', { level: 1, name: 'Waiting long' }).waitFor()
      await expect.poll(isInView).toBe(true)

      await page.setViewportSize({ width: 1280, height: 800 })
      await page.goto(server.url)
      const active = page.getByRole('region', { name: 'Active and failed' })
      await active.getByRole('link', { name: /Failed once/ }).waitFor()
      const rows = await active.locator('.session-name').allInnerTexts()
      expect(rows[0]).toBe('Waiting long')
      const garden = page.getByRole('region', { name: 'garden' })
      expect(await garden.getByRole('link', { name: /Waiting long|Failed once/ }).count()).toBe(0)
      await garden.getByRole('link', { name: /Opened first/ }).waitFor()
      await sessions.abort(waiting)
      await server.runsEnded(waiting)
      await active.getByRole('link', { name: /Waiting long/ }).waitFor({ state: 'detached' })
    })
  })

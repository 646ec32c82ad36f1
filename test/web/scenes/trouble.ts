import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Scene } from './scene.ts'

const banner = 'Sluice accepts no work at the moment. The database was moved or deleted'

/** The log of the server cannot be written for a while. */
export const trouble: Scene = (setup) =>
  describe('a server that cannot store anything', () => {
    test('says so on every screen, refuses prompts, and says when it works again', async () => {
      const { pages, server } = setup()
      const { id } = await server.createSession('Trouble')
      const page = await pages.openSession(id)
      const overview = await pages.open()
      const data = join(server.root, '../data')
      const away = `${data}-away`
      onTestFinished(() => {
        if (existsSync(away)) renameSync(away, data)
      })

      renameSync(data, away)
      expect(await server.client.health()).toMatchObject({ status: 'degraded' })
      const bannerOf = (each: Page) => each.getByRole('alert').filter({ hasText: banner })
      for (const each of [page, overview]) await bannerOf(each).waitFor()
      // A page that comes later sees it, too.
      await bannerOf(await pages.openSession(id)).waitFor()
      const field = page.locator('.composer textarea')
      await field.fill('Not lost')
      await field.press('Enter')
      await page.getByText(/Could not send the message: The database was moved/).waitFor()
      expect(await field.inputValue()).toBe('Not lost')

      renameSync(away, data)
      await page.getByText('Sluice works again.').waitFor()
      await bannerOf(page).waitFor({ state: 'detached' })
      await bannerOf(overview).waitFor({ state: 'detached' })
    })

    test('says why a page that opens meanwhile stays empty', async () => {
      const { pages, server } = setup()
      const { id } = await server.createSession('Late')
      const context = await pages.newContext()
      // Only streams of the page itself can be answered here.
      await context.addInitScript('delete window.SharedWorker')
      const page = await pages.open('', {}, context)
      const detail = 'NATS did not answer within 10 seconds.'
      await context.route(/\/api\/v1\/stream/, (route) =>
        route.fulfill({
          status: 503,
          contentType: 'application/problem+json',
          json: {
            type: '/api/docs#log_unreachable',
            title: 'Not now.',
            status: 503,
            code: 'log_unreachable',
            detail,
          },
        }),
      )
      await page.goto(new URL(`sessions/${id}`, server.url).href)
      const empty = page
        .getByRole('alert')
        .filter({ hasText: /^Not connected yet.*NATS did not answer/ })
      await empty.waitFor()
      await context.unrouteAll()
      await page.locator('.connection-live').first().waitFor()
      await empty.waitFor({ state: 'detached' })
    })
  })

import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { firstApproval } from '../support/pages.ts'
import type { Scene } from './scene.ts'

export const firstVisit: Scene = (setup) =>
  describe('a first visit', () => {
    test('leads from the printed address to the first answer', async () => {
      const { pages } = setup()
      const page = await pages.open()
      expect(page.url()).toBe(setup().server.url)
      await page.getByRole('button', { name: 'New session', exact: true }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('radio', { name: /Demo/ }).check()
      await dialog
        .getByText(/^Agents (run in a sandbox|are not sandboxed on this machine)\./)
        .waitFor()
      await dialog.getByLabel('Project').selectOption({ label: 'Another directory…' })
      const directories = dialog.getByRole('list', { name: 'Directories' })
      await directories.getByRole('button').first().click()
      await directories.getByRole('button', { name: 'garden', exact: true }).click()
      expect(await dialog.getByRole('textbox', { name: 'Directory' }).inputValue()).toMatch(
        /garden$/,
      )
      await dialog.getByLabel(/^Name/).fill('First steps')
      await dialog.getByRole('button', { name: 'Create session' }).click()
      await page.getByRole('heading', { level: 1, name: 'First steps' }).waitFor()
      await page.getByLabel('Message to the agent').fill('Show me around')
      await page.keyboard.press('Enter')
      await page.getByText('Markdown, as it streams').waitFor()
      await page.keyboard.press('Tab')
      const first = await firstApproval(page)
      await first.getByText('Allow bash?').waitFor()
      await expect.poll(() => page.title()).toBe('(1) Needs input · First steps · Sluice')
      await first.getByRole('button', { name: 'Allow', exact: true }).click()
      const second = page.locator('.approval', { hasText: 'Allow edit?' })
      await second.waitFor()
      await second.getByRole('button', { name: 'Allow', exact: true }).click()
      await page.getByText('Ask for more with one of these words').waitFor()
      await expect.poll(() => page.title()).toBe('First steps · Sluice')
    })

    test('loads at most 250 KB of script, all of it from the server', async () => {
      const { pages, server } = setup()
      const context = await pages.newContext()
      const page = await context.newPage()
      const requested: string[] = []
      context.on('request', (request) => requested.push(request.url()))
      await page.goto(await server.pairingUrl())
      await page.locator('.connection-live').waitFor()
      expect(requested.filter((url) => !url.startsWith(server.url))).toEqual([])
      const scripts = new Set(requested.filter((url) => url.endsWith('.js')))
      expect([...scripts].some((url) => url.includes('/worker-'))).toBe(true)
      const sizes = await Promise.all([...scripts].map(gzipped))
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(250 * 1024)
    })
  })

const gzipped = async (url: string): Promise<number> =>
  gzipSync(await (await fetch(url)).bytes()).length

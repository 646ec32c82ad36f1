import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
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

    test('loads at most 250 KB, all of it compressed and from the server', async () => {
      const { pages, server } = setup()
      const context = await pages.newContext()
      const page = await context.newPage()
      const requested: string[] = []
      context.on('request', (request) => requested.push(request.url()))
      await page.goto(await server.pairingUrl())
      await page.locator('.connection-live').waitFor()
      expect(requested.filter((url) => !url.startsWith(server.url))).toEqual([])
      const assets = [...new Set(requested.filter((url) => url.includes('/assets/')))]
      expect(assets.some((url) => url.includes('/worker-'))).toBe(true)
      // What a browser accepts that reaches the server without TLS.
      const sizes = await Promise.all(assets.map((url) => bytesOf(url, 'gzip, deflate')))
      expect(sum(sizes)).toBeLessThan(250 * 1024)
      const received = await page.evaluate(() =>
        performance
          .getEntriesByType('resource')
          .map((each) => each.toJSON())
          .filter(({ name }) => name.includes('/assets/')),
      )
      expect(received.length).toBeGreaterThan(1)
      const whole = sum(received.map(({ decodedBodySize }) => decodedBodySize))
      expect(sum(received.map(({ encodedBodySize }) => encodedBodySize))).toBeLessThan(whole / 3)
    })
  })

const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0)

/** How many bytes travel for a file, compressed as the server sends it. */
const bytesOf = async (url: string, accept: string): Promise<number> => {
  const request = get(url, { headers: { 'accept-encoding': accept } })
  const [response]: IncomingMessage[] = await once(request, 'response')
  return response ? (await buffer(response)).length : 0
}

import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import type { Scene } from './scene.ts'

export const signingIn: Scene = (setup) =>
  describe('signing in', () => {
    const newPage = async (options = {}) => (await setup().pages.newContext(options)).newPage()
    const live = (page: Page) => page.locator('.connection-live').first().waitFor()

    test('a pairing link signs a browser in, once', async () => {
      const { server } = setup()
      const link = await server.pairingUrl()
      const page = await newPage()
      await page.goto(link)
      await live(page)
      expect(page.url()).toBe(server.url)
      const [cookie] = await page.context().cookies()
      expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/' })
      const stored = await page.evaluate(() => ({ ...localStorage, cookies: document.cookie }))
      expect(Object.keys(stored).sort()).toEqual(expect.arrayContaining(['cookies', 'sluice.page']))
      expect(JSON.stringify(stored)).not.toContain('sluice_')
      expect(stored.cookies).toBe('')
      await page.reload()
      await live(page)
      expect(await page.evaluate(() => history.length)).toBeLessThan(4)

      const second = await newPage()
      await second.goto(link)
      await second.getByText('The pairing code is wrong, was already used').waitFor()
      expect(second.url()).not.toContain('pair_')
    })

    test('a page whose worker does not start connects with the cookie, too', async () => {
      const { server } = setup()
      const page = await newPage()
      await page.addInitScript(() => Reflect.deleteProperty(globalThis, 'SharedWorker'))
      await page.goto(await server.pairingUrl())
      await live(page)
    })

    test('an API key signs in, and its end is the end of the browser', async () => {
      const { server } = setup()
      const page = await newPage()
      await page.goto(server.url)
      await page.getByText('Sign in.').waitFor()
      const field = page.getByLabel('Pairing link or API key')
      await field.fill('sluice_not_a_key')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByText('The token is not valid.').waitFor()
      const { id, key } = await server.client.keys.create({ name: 'reader', scopes: ['read'] })
      await field.fill(key)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await live(page)
      await page.getByRole('link', { name: 'Browsers and keys' }).click()
      await page.getByText('It may: read.').waitFor()
      expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('sluice_')
      await server.client.keys.revoke(id)
      await page.getByText('This browser was signed out.').waitFor()
    })

    test('browsers are listed, renamed, paired with a link, and signed out', async () => {
      const { server } = setup()
      const page = await newPage()
      await page.goto(await server.pairingUrl())
      await live(page)
      await page.getByRole('link', { name: 'Browsers and keys' }).click()
      const list = page.getByRole('list', { name: 'Paired browsers' })
      const own = list.getByRole('listitem').filter({ hasText: 'this browser' })
      await own.getByText(/Chrome on /).waitFor()
      await own.getByRole('button', { name: 'Rename' }).click()
      await page.getByLabel('Name of the browser').fill('Desk')
      await page.getByRole('button', { name: 'Save' }).click()
      await own.getByText('Desk').waitFor()

      await page.getByRole('button', { name: 'Pair another device' }).click()
      const link = await page.locator('.pairing-link code').innerText()
      const other = await newPage({ phone: true })
      await other.goto(link)
      await live(other)
      await page.getByRole('button', { name: 'Close' }).click()
      await expect.poll(() => list.getByRole('listitem').count()).toBeGreaterThan(1)
      await list
        .getByRole('listitem')
        .last()
        .getByRole('button', { name: /^Sign out/ })
        .click()
      await other.getByText('This browser was signed out.').waitFor()

      await page.getByRole('button', { name: 'Sign out', exact: true }).first().click()
      await page.getByText('This browser was signed out.').waitFor()
      expect(await page.context().cookies()).toEqual([])
    })
  })

import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { firstApproval, sendMessage } from '../support/pages.ts'
import type { Scene } from './scene.ts'

/** How the user decides on tool calls. */
export const approvals: Scene = (setup) =>
  describe('an approval', () => {
    test('is allowed with one key', async () => {
      const { pages, server } = setup()
      const { id } = await server.createSession('Allowed')
      const page = await pages.openSession(id)
      await sendMessage(page, 'approve')
      const card = await firstApproval(page)
      await card.getByText('npm test').waitFor()
      await card.getByText(/^\d+:\d\d left$/).waitFor()
      await page.locator('.composer textarea').blur()
      await page.keyboard.press('a')
      await page.getByText('It was allowed and is done.').waitFor()
      expect(await page.locator('.approval').count()).toBe(0)
    })

    test('is denied with a message, using only the keyboard', async () => {
      const { pages, server } = setup()
      const { id } = await server.createSession('Denied')
      const page = await pages.openSession(id)
      await sendMessage(page, 'approve')
      await firstApproval(page)
      await page.locator('.composer textarea').blur()
      await page.keyboard.press('d')
      await page.keyboard.type('Not today')
      await page.keyboard.press('Enter')
      await page.getByText('It was denied (“Not today”)').waitFor()
    })

    test('is edited, then allowed', async () => {
      const { pages, server } = setup()
      const { id } = await server.createSession('Edited')
      const page = await pages.openSession(id)
      await sendMessage(page, 'approve')
      const card = await firstApproval(page)
      await card.getByRole('button', { name: /^Edit/ }).click()
      await card.getByLabel('Command').fill('npm run lint')
      await card.getByRole('button', { name: 'Allow with changes' }).click()
      await page.getByText('$ npm run lint').waitFor()
      await page.getByText('allowed with another input').waitFor()
    })

    test('for the session is requested only once', async () => {
      const { pages, server } = setup()
      const { id } = await server.createSession('Remembered')
      const page = await pages.openSession(id)
      await sendMessage(page, 'approve')
      const card = await firstApproval(page)
      await card.getByRole('button', { name: /for this session/ }).click()
      await server.runsEnded(id)
      await sendMessage(page, 'approve')
      await server.runsEnded(id, 2)
      await expect.poll(() => page.getByText('It was allowed and is done.').count()).toBe(2)
      expect(await page.locator('.approval').count()).toBe(0)
    })

    test('can be answered in the overview, for any session', async () => {
      const { pages, server } = setup()
      const { id } = await server.createSession('Elsewhere')
      const page = await pages.open()
      await server.client.sessions.prompt(id, 'edit')
      const card = page.locator('.approval', { hasText: 'Elsewhere' })
      await card.getByRole('region', { name: /Changes to src\/hello.ts/ }).waitFor()
      await page.getByRole('heading', { name: '1 request needs your input' }).waitFor()
      await card.getByRole('button', { name: /^Allow A/ }).click()
      await card.waitFor({ state: 'detached' })
      await page.getByText('Nothing needs your input.').waitFor()
      await server.runsEnded(id)
    })

    test('needs Alt while the user types, and shows that', async () => {
      const { pages, server } = setup()
      const { id } = await server.createSession('Typed')
      const page = await pages.openSession(id)
      await sendMessage(page, 'approve')
      const card = await firstApproval(page)
      const field = page.locator('.composer textarea')
      await card.getByRole('button', { name: 'Allow Alt A' }).waitFor()
      await field.blur()
      await card.getByRole('button', { name: 'Allow A', exact: true }).waitFor()
      await field.focus()
      await typeWithAlt(page, 'ą', 'KeyA')
      await typeWithAlt(page, 'ß', 'KeyS')
      await expect.poll(() => field.inputValue()).toBe('ąß')
      expect(await card.getByRole('button', { name: 'Allow Alt A' }).isEnabled()).toBe(true)
      await page.keyboard.press('Alt+a')
      await page.getByText('It was allowed and is done.').waitFor()
    })

    test('is answered once by a key that is held down; only a focused card is allowed for the session', async () => {
      const { pages, server } = setup()
      const { id: first } = await server.createSession('Held first')
      const { id: second } = await server.createSession('Held second')
      const page = await pages.open()
      const cardOf = (name: string) => page.locator('.approval', { hasText: name })
      await server.client.sessions.prompt(first, 'approve')
      await cardOf('Held first').waitFor()
      await server.client.sessions.prompt(second, 'approve')
      const allow = cardOf('Held second').getByRole('button', { name: /^Allow A/ })
      await allow.waitFor()
      await page.keyboard.down('a')
      await cardOf('Held first').waitFor({ state: 'detached' })
      await page.keyboard.down('a')
      expect(await allow.isEnabled()).toBe(true)
      await page.keyboard.up('a')
      await page.keyboard.press('s')
      expect(await allow.isEnabled()).toBe(true)
      await cardOf('Held second').getByText('npm test').click()
      await page.keyboard.press('s')
      await cardOf('Held second').waitFor({ state: 'detached' })
      await server.runsEnded(second)
      await server.client.sessions.prompt(second, 'approve')
      await server.runsEnded(second, 2)
    })

    test('is edited in several lines: Enter sends only a single line', async () => {
      const { pages, server } = setup()
      const { id } = await server.createSession('Lines')
      const page = await pages.openSession(id)
      await sendMessage(page, 'approve')
      const card = await firstApproval(page)
      await card.getByRole('button', { name: /^Edit/ }).click()
      const field = card.getByLabel('Command')
      await field.fill('npm ci\nnpm test')
      await field.press('Enter')
      await expect.poll(() => field.inputValue()).toBe('npm ci\nnpm test\n')
      await field.fill('npm run lint')
      await field.dispatchEvent('keydown', { key: 'Enter', bubbles: true, isComposing: true })
      expect(await card.getByRole('button', { name: 'Allow with changes' }).isEnabled()).toBe(true)
      const pocket = await pages.openSession(id, { phone: true })
      await pocket.getByRole('button', { name: /^Edit/ }).tap()
      await pocket.getByLabel('Command').press('End')
      await pocket.getByLabel('Command').press('Enter')
      await expect.poll(() => pocket.getByLabel('Command').inputValue()).toBe('npm test\n')
      await field.press('Enter')
      await page.getByText('$ npm run lint').waitFor()
    })

    test.each([
      { phone: false, path: 'session' },
      { phone: true, path: 'session' },
      { phone: false, path: 'overview' },
      { phone: true, path: 'overview' },
    ])('keeps its buttons visible below a long command (%o)', async ({ phone, path }) => {
      const { pages, server } = setup()
      const { id } = await server.createSession('Long command')
      await server.client.sessions.prompt(id, 'approve')
      const page = await pages.open(path === 'session' ? `sessions/${id}` : '', { phone })
      const card = await firstApproval(page)
      await card.locator('pre').evaluate((command) => command.append('\necho'.repeat(300)))
      await expectVisible(card.getByRole('button', { name: /^Allow( A.*)?$/ }))
      await expectVisible(card.getByRole('button', { name: /^Deny/ }))
      const box = await card.boundingBox()
      expect(box?.height).toBeLessThan(phone ? 740 : 800)
      await server.client.sessions.abort(id)
      await server.runsEnded(id)
    })

    test('leaves room for the conversation on a phone in landscape', async () => {
      const { pages, server } = setup()
      const { id } = await server.createSession('Sideways')
      const page = await pages.openSession(id, { phone: true })
      await page.setViewportSize({ width: 740, height: 360 })
      await server.client.sessions.prompt(id, 'approve')
      const card = await firstApproval(page)
      await expectVisible(card.getByText('npm test'))
      await expectVisible(card.getByRole('button', { name: 'Allow', exact: true }))
      await expectVisible(page.getByRole('button', { name: 'Steer' }))
      const list = await page.locator('.entry-scroll').boundingBox()
      expect(list?.height).toBeGreaterThanOrEqual(48)
      await server.client.sessions.abort(id)
      await server.runsEnded(id)
    })
  })

/** Types a letter with Alt, as on a keyboard layout where that writes another letter. */
const typeWithAlt = async (page: Page, key: string, code: string): Promise<void> => {
  const session = await page.context().newCDPSession(page)
  const pressed = { modifiers: 1, key, code }
  await session.send('Input.dispatchKeyEvent', { type: 'keyDown', text: key, ...pressed })
  await session.send('Input.dispatchKeyEvent', { type: 'keyUp', ...pressed })
}

/** Expects that a click on the element would hit it, without scrolling. */
const expectVisible = (target: Locator): Promise<void> =>
  expect
    .poll(() =>
      target.evaluate((element) => {
        const { left, top, width, height } = element.getBoundingClientRect()
        return element.contains(document.elementFromPoint(left + width / 2, top + height / 2))
      }),
    )
    .toBe(true)

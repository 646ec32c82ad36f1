import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { approvalOn, say } from '../support/stage.ts'
import type { Scene } from './scene.ts'

/** What a person decides. */
export const approvals: Scene = (world) =>
  describe('an approval', () => {
    test('is allowed by one key', async () => {
      const { stage, server } = world()
      const { id } = await server.begin('Allowed')
      const page = await stage.openSession(id)
      await say(page, 'approve')
      const card = await approvalOn(page)
      await card.getByText('npm test').waitFor()
      await card.getByText(/^\d+:\d\d left$/).waitFor()
      await page.locator('.composer textarea').blur()
      await page.keyboard.press('a')
      await page.getByText('It was allowed, and it is done.').waitFor()
      expect(await page.locator('.approval').count()).toBe(0)
    })

    test('is denied with a message, by keys alone', async () => {
      const { stage, server } = world()
      const { id } = await server.begin('Denied')
      const page = await stage.openSession(id)
      await say(page, 'approve')
      await approvalOn(page)
      await page.locator('.composer textarea').blur()
      await page.keyboard.press('d')
      await page.keyboard.type('Not today')
      await page.keyboard.press('Enter')
      await page.getByText('It was not allowed (“Not today”)').waitFor()
    })

    test('is edited, then allowed', async () => {
      const { stage, server } = world()
      const { id } = await server.begin('Edited')
      const page = await stage.openSession(id)
      await say(page, 'approve')
      const card = await approvalOn(page)
      await card.getByRole('button', { name: /^Edit/ }).click()
      await card.getByLabel('Command').fill('npm run lint')
      await card.getByRole('button', { name: 'Allow with changes' }).click()
      await page.getByText('$ npm run lint').waitFor()
      await page.getByText('allowed with another input').waitFor()
    })

    test('for the session is asked once', async () => {
      const { stage, server } = world()
      const { id } = await server.begin('Remembered')
      const page = await stage.openSession(id)
      await say(page, 'approve')
      const card = await approvalOn(page)
      await card.getByRole('button', { name: /for this session/ }).click()
      await server.settled(id)
      await say(page, 'approve')
      await server.settled(id, 2)
      await expect.poll(() => page.getByText('It was allowed, and it is done.').count()).toBe(2)
      expect(await page.locator('.approval').count()).toBe(0)
    })

    test('can be given in the overview, for every session', async () => {
      const { stage, server } = world()
      const { id } = await server.begin('Elsewhere')
      const page = await stage.open()
      await server.client.sessions.prompt(id, 'edit')
      const card = page.locator('.approval', { hasText: 'Elsewhere' })
      await card.getByRole('region', { name: /Changes to src\/hello.ts/ }).waitFor()
      await page.getByRole('heading', { name: '1 request needs your input' }).waitFor()
      await card.getByRole('button', { name: /^Allow A/ }).click()
      await card.waitFor({ state: 'detached' })
      await page.getByText('Nothing needs your input.').waitFor()
      await server.settled(id)
    })

    test('needs Alt while somebody types, and shows it', async () => {
      const { stage, server } = world()
      const { id } = await server.begin('Typed')
      const page = await stage.openSession(id)
      await say(page, 'approve')
      const card = await approvalOn(page)
      const field = page.locator('.composer textarea')
      await card.getByRole('button', { name: 'Allow Alt A' }).waitFor()
      await field.blur()
      await card.getByRole('button', { name: 'Allow A', exact: true }).waitFor()
      await field.focus()
      await writeWithAlt(page, 'ą', 'KeyA')
      await writeWithAlt(page, 'ß', 'KeyS')
      await expect.poll(() => field.inputValue()).toBe('ąß')
      expect(await card.getByRole('button', { name: 'Allow Alt A' }).isEnabled()).toBe(true)
      await page.keyboard.press('Alt+a')
      await page.getByText('It was allowed, and it is done.').waitFor()
    })

    test('is given once by a key that is held, and for the session only from inside', async () => {
      const { stage, server } = world()
      const { id: first } = await server.begin('Held first')
      const { id: second } = await server.begin('Held second')
      const page = await stage.open()
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
      await server.settled(second)
      await server.client.sessions.prompt(second, 'approve')
      await server.settled(second, 2)
    })

    test('is edited in lines: Enter sends only a single one', async () => {
      const { stage, server } = world()
      const { id } = await server.begin('Lines')
      const page = await stage.openSession(id)
      await say(page, 'approve')
      const card = await approvalOn(page)
      await card.getByRole('button', { name: /^Edit/ }).click()
      const field = card.getByLabel('Command')
      await field.fill('npm ci\nnpm test')
      await field.press('Enter')
      await expect.poll(() => field.inputValue()).toBe('npm ci\nnpm test\n')
      await field.fill('npm run lint')
      await field.dispatchEvent('keydown', { key: 'Enter', bubbles: true, isComposing: true })
      expect(await card.getByRole('button', { name: 'Allow with changes' }).isEnabled()).toBe(true)
      const pocket = await stage.openSession(id, { phone: true })
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
    ])('keeps its buttons in sight under a long command (%o)', async ({ phone, path }) => {
      const { stage, server } = world()
      const { id } = await server.begin('Long command')
      await server.client.sessions.prompt(id, 'approve')
      const page = await stage.open(path === 'session' ? `sessions/${id}` : '', { phone })
      const card = await approvalOn(page)
      await card.locator('pre').evaluate((command) => command.append('\necho'.repeat(300)))
      await expectInSight(card.getByRole('button', { name: /^Allow( A.*)?$/ }))
      await expectInSight(card.getByRole('button', { name: /^Deny/ }))
      const box = await card.boundingBox()
      expect(box?.height).toBeLessThan(phone ? 740 : 800)
      await server.client.sessions.abort(id)
      await server.settled(id)
    })

    test('leaves room for the rest on a phone that lies on its side', async () => {
      const { stage, server } = world()
      const { id } = await server.begin('Sideways')
      const page = await stage.openSession(id, { phone: true })
      await page.setViewportSize({ width: 740, height: 360 })
      await server.client.sessions.prompt(id, 'approve')
      const card = await approvalOn(page)
      await expectInSight(card.getByText('npm test'))
      await expectInSight(card.getByRole('button', { name: 'Allow', exact: true }))
      await expectInSight(page.getByRole('button', { name: 'Steer' }))
      const list = await page.locator('.entry-scroll').boundingBox()
      expect(list?.height).toBeGreaterThanOrEqual(48)
      await server.client.sessions.abort(id)
      await server.settled(id)
    })
  })

/** As on a keyboard where Alt and a letter write another one. */
const writeWithAlt = async (page: Page, key: string, code: string): Promise<void> => {
  const session = await page.context().newCDPSession(page)
  const pressed = { modifiers: 1, key, code }
  await session.send('Input.dispatchKeyEvent', { type: 'keyDown', text: key, ...pressed })
  await session.send('Input.dispatchKeyEvent', { type: 'keyUp', ...pressed })
}

/** Whoever points at it reaches it, without scrolling. */
const expectInSight = (part: Locator): Promise<void> =>
  expect
    .poll(() =>
      part.evaluate((element) => {
        const { left, top, width, height } = element.getBoundingClientRect()
        return element.contains(document.elementFromPoint(left + width / 2, top + height / 2))
      }),
    )
    .toBe(true)

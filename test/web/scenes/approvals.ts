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
      await card.getByRole('button', { name: 'Allow this instead' }).click()
      await page.getByText('$ npm run lint').waitFor()
      await page.getByText('allowed with another input').waitFor()
    })

    test('for the session is asked once', async () => {
      const { stage, server } = world()
      const { id } = await server.begin('Remembered')
      const page = await stage.openSession(id)
      await say(page, 'approve')
      const card = await approvalOn(page)
      await card.getByRole('button', { name: /in this session/ }).click()
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
      await page.getByRole('heading', { name: 'One thing needs you' }).waitFor()
      await card.getByRole('button', { name: /^Allow A/ }).click()
      await card.waitFor({ state: 'detached' })
      await page.getByText('Nothing needs you.').waitFor()
      await server.settled(id)
    })
  })

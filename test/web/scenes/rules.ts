import { describe, expect, test } from 'vitest'
import { firstApproval, sendMessage } from '../support/pages.ts'
import type { Scene } from './scene.ts'

/** What runs without asking, and how people see and change it. */
export const rules: Scene = (setup) =>
  describe('a rule', () => {
    test('is offered narrow first, can be widened, and is taken back in the panel', async () => {
      const { pages, server } = setup()
      const { id } = await server.createSession('Ruled')
      const page = await pages.openSession(id)
      const panel = page.getByRole('complementary', { name: 'Rules for approvals' })
      await page.getByRole('button', { name: 'Rules', exact: true }).click()
      await expect.poll(() => panel.getByText('No rules.').count()).toBe(2)
      await sendMessage(page, 'approve')
      const card = await firstApproval(page)
      await card.getByRole('button', { name: 'Always allow…' }).click()
      const pattern = card.getByLabel(/Run without asking/)
      expect(await pattern.inputValue()).toBe('npm test')
      await pattern.fill('git diff *')
      await card.getByRole('button', { name: 'Allow in this session' }).click()
      await card.getByRole('alert').waitFor() // that rule does not cover the call
      await card.getByRole('button', { name: 'npm test *' }).click()
      await card.getByRole('button', { name: 'Allow in this session' }).click()
      await server.runsEnded(id)
      await panel.getByText('npm test *').waitFor()
      await sendMessage(page, 'approve')
      await server.runsEnded(id, 2)
      await panel.getByRole('button', { name: 'Remove the rule for bash npm test *' }).click()
      await expect.poll(() => panel.getByText('No rules.').count()).toBe(2)
      await sendMessage(page, 'approve')
      await firstApproval(page)
      await server.client.sessions.abort(id)
      await server.runsEnded(id, 3)
    })

    test('of a project is added by hand, holds in its sessions, and says why it is refused', async () => {
      const { pages, server } = setup()
      const { id } = await server.createSession('Project rules')
      const page = await pages.open()
      await page.getByRole('link', { name: 'Rules of garden' }).click()
      await page.getByRole('heading', { name: 'Rules for approvals' }).waitFor()
      await page.getByLabel('Effect').selectOption('Deny')
      await page.getByLabel('Tool').fill('bash')
      await page.getByLabel(/^Pattern/).fill('npm test')
      await page.getByRole('button', { name: 'Add rule' }).click()
      await page.locator('.rule', { hasText: 'Deny' }).getByText('npm test').waitFor()
      await server.client.sessions.prompt(id, 'approve')
      await server.runsEnded(id)
      expect(await server.client.approvals.list({ sessionId: id })).toEqual([])
      await page.getByLabel('Effect').selectOption('Allow')
      await page.getByLabel(/^Pattern/).fill('*')
      await page.getByRole('button', { name: 'Add rule' }).click()
      await page
        .getByRole('alert')
        .getByText(/A pattern must begin with a word/)
        .waitFor()
      await page.getByRole('button', { name: 'Remove the rule for bash npm test' }).click()
      await page.getByText('No rules.').waitFor()
    })
  })

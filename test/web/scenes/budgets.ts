import { describe, expect, test } from 'vitest'
import { firstApproval } from '../support/pages.ts'
import { smallTargets } from '../support/small-targets.ts'
import { watchNotifications } from '../support/watch-notifications.ts'
import type { Scene } from './scene.ts'

/** Budgets: the warning, the card when one is used up, and the page that sets them. */
export const budgets: Scene = (setup) =>
  describe('a budget', () => {
    test('that is used up pauses the agent until it is raised, or stops the run', async () => {
      const { pages, server } = setup()
      const { id } = await server.client.sessions.create({
        ...{ projectId: server.project.id, agent: 'demo', name: 'Costly' },
        budget: { limits: { tokens: 50 } },
      })
      const page = await pages.openSession(id, { phone: true })
      await server.client.sessions.prompt(id, 'parallel')
      const card = await firstApproval(page)
      await card.getByRole('heading', { name: 'Budget reached' }).waitFor()
      await card.getByText('The limit for this session is used up.').waitFor()
      await page.locator('.tool-waiting', { hasText: 'paused' }).first().waitFor()
      expect(await smallTargets(page)).toEqual([])
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
      const field = card.getByLabel('Raise by, in tokens')
      // The limit itself, so many times that the agent can go on.
      expect(Number(await field.inputValue()) % 50).toBe(0)
      await card.getByRole('button', { name: /^Raise by [\d.]+k? tokens$/ }).waitFor()
      await field.fill('nothing')
      await card.getByText('Type an amount above 0.').waitFor()
      expect(await card.getByRole('button', { name: 'Raise', exact: true }).isDisabled()).toBe(true)
      await field.fill('1M')
      await card.getByText('The new limit is 1M tokens.').waitFor()
      await card.getByRole('button', { name: 'Raise by 1M tokens' }).tap()
      await card.waitFor({ state: 'detached' })
      await server.runsEnded(id)
      expect(await server.client.sessions.get(id)).toMatchObject({
        budget: { limits: { tokens: 1_000_050 } },
      })

      await server.client.sessions.update(id, { budget: { limits: { tokens: 10 } } })
      await server.client.sessions.prompt(id, 'parallel')
      const next = await firstApproval(page)
      await next.getByRole('button', { name: 'Stop the run…' }).tap()
      const back = next.getByRole('button', { name: 'Back' })
      await expect.poll(() => back.evaluate((node) => node === document.activeElement)).toBe(true)
      await next.getByRole('button', { name: 'Yes, stop the run' }).tap()
      await server.runsEnded(id, 2)
      await next.waitFor({ state: 'detached' })
      const stopped = page.locator('.notice-error', { hasText: 'The run was stopped' })
      await stopped.getByText('Raise the limit to continue.').waitFor()
      expect(await stopped.getByText(/provider/).count()).toBe(0)
    })

    test('that is nearly used is announced: on the page, or by the browser if it is hidden', async () => {
      const { pages, server } = setup()
      const { sessions } = server.client
      const context = await pages.newContext()
      await context.addInitScript(watchNotifications)
      const page = await pages.open('', {}, context)
      /** A session whose limit is nearly used after its first run. */
      const nearlyUsed = async (name: string) => {
        const { id } = await server.createSession(name)
        await sessions.prompt(id, 'think')
        await server.runsEnded(id)
        const { usage } = await sessions.get(id)
        const spent = (usage?.input ?? 0) + (usage?.output ?? 0) + (usage?.cacheRead ?? 0)
        await sessions.update(id, { budget: { limits: { tokens: Math.ceil(spent / 0.9) } } })
        return id
      }
      await nearlyUsed('Seen')
      await page
        .getByRole('status')
        .getByText(/Budget nearly used in “Seen”/)
        .waitFor()
      await page.evaluate(() => {
        window.isPageHidden = true
      })
      const id = await nearlyUsed('Unseen')
      const shown = () => page.evaluate(() => window.notifications?.map(({ title }) => title))
      await expect.poll(shown).toEqual(['Unseen'])
      const session = await pages.openSession(id)
      await session.getByText('Budget nearly used.').waitFor()
    })

    test('of a day is set, changed and removed on its page', async () => {
      const { pages } = setup()
      const page = await pages.open('budgets', { phone: true })
      await page.getByText('No budgets are set.').waitFor()
      await page.getByRole('button', { name: 'Set budget' }).tap()
      await page.getByRole('alert').waitFor()
      await page.getByLabel('Cost in US dollars').fill('20')
      await page.getByRole('button', { name: 'Set budget' }).tap()
      const budget = page.getByRole('listitem').filter({ hasText: 'Each day' })
      await budget.getByText(/of \$20\.00/).waitFor()
      expect(await smallTargets(page)).toEqual([])
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
      await budget.getByRole('button', { name: 'Change the budget: Each day' }).tap()
      const heading = page.getByRole('heading', { name: 'Change the budget' })
      await expect
        .poll(() => heading.evaluate((node) => node === document.activeElement))
        .toBe(true)
      await page.getByLabel('Cost in US dollars').fill('30')
      await page.getByLabel('When it is reached').selectOption('Stop the run')
      await page.getByRole('button', { name: 'Save' }).tap()
      await budget.getByText(/of \$30\.00/).waitFor()
      await budget.getByText('Stops the run when it is reached.').waitFor()
      await budget.getByRole('button', { name: 'Remove the budget: Each day' }).tap()
      await page.getByText('No budgets are set.').waitFor()
    })

    test('of a session is set in the panel with its usage', async () => {
      const { pages, server } = setup()
      const { id } = await server.createSession('Limited')
      const page = await pages.openSession(id)
      await page.getByRole('button', { name: 'Usage', exact: true }).click()
      await page.getByRole('button', { name: 'Set limits…' }).click()
      const form = page.getByRole('dialog', { name: 'Budget of this session' })
      await form.getByLabel('Time').fill('2h')
      await form.getByRole('button', { name: 'Save' }).click()
      await page.getByText('0 s of 2 h').waitFor()
      expect(await server.client.sessions.get(id)).toMatchObject({
        budget: { limits: { durationMs: 7_200_000 } },
      })
    })
  })

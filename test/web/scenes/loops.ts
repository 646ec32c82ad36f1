import { describe, expect, test } from 'vitest'
import { firstApproval } from '../support/pages.ts'
import { smallTargets } from '../support/small-targets.ts'
import type { Scene } from './scene.ts'

/** Loops: starting one from the page, following it, and deciding how it goes on. */
export const loops: Scene = (setup) =>
  describe('a loop', () => {
    test('is started from the page, and is one group until its promise', async () => {
      const { pages, server } = setup()
      await server.createSession('Beside the loop')
      const page = await pages.open()
      await page.getByRole('button', { name: 'New loop' }).click()
      const form = page.getByRole('dialog', { name: 'New loop' })
      await form.getByLabel(/^Demo/).check()
      await form.getByRole('button', { name: 'Start loop' }).click()
      const alert = form.getByRole('alert')
      await alert.getByText('Write a prompt').waitFor()
      // The form is higher than the screen.
      const bottomOf = async () => ((await alert.boundingBox())?.y ?? 1000) + 20
      await expect.poll(bottomOf).toBeLessThan(800)
      await form.getByLabel('Prompt', { exact: true }).fill('think about the garden')
      await form.getByLabel('Promise').fill('Done.')
      await form.getByLabel('Iterations').fill('4')
      await form.getByRole('button', { name: 'Start loop' }).click()
      await page.waitForURL(/\/loops\//)
      await page.getByRole('heading', { name: 'think about the garden' }).waitFor()
      const row = page.getByRole('row', { name: /Iteration 1/ })
      await row.getByText('Complete', { exact: true }).waitFor()
      await page.getByText('1 of 4').waitFor()
      await expect.poll(() => page.getByRole('button', { name: /^Pause/ }).count()).toBe(0)
      await row.getByRole('link', { name: 'Iteration 1' }).click()
      await page.waitForURL(/\/sessions\//)
      await page.locator('.session-header').getByRole('link', { name: 'Iteration 1' }).waitFor()
      const beside = page.getByRole('navigation', { name: 'Sessions' })
      await beside.getByRole('region', { name: 'Loop: think about the garden' }).waitFor()

      await page.goto(server.url)
      const group = page.getByRole('region', { name: 'Loop: think about the garden' })
      await group.getByText('Complete').waitFor()
      expect(await group.locator('.session-name').allInnerTexts()).toEqual(['Iteration 1'])
      const garden = page.getByRole('region', { name: 'garden', exact: true })
      await garden.getByRole('link', { name: /Beside the loop/ }).waitFor()
      expect(await garden.getByRole('link', { name: /Iteration|think/ }).count()).toBe(0)
    })

    test('can be changed only by those who may send prompts', async () => {
      const { pages, server } = setup()
      const { id } = await server.client.loops.create({
        ...{ projectId: server.project.id, agent: 'demo', name: 'Not yours', prompt: 'think' },
        schedule: { everyMs: 3_600_000 },
      })
      const { key } = await server.client.keys.create({ name: 'reader', scopes: ['read'] })
      const page = await (await pages.newContext()).newPage()
      await page.goto(`${server.url}loops/${id}`)
      await page.getByLabel('Pairing link or API key').fill(key)
      await page.getByRole('button', { name: 'Sign in' }).click()
      const group = page.getByRole('region', { name: 'Loop: Not yours' })
      await group.getByText(/Next iteration in/).waitFor()
      const changing = page.getByRole('button', { name: /New loop|Pause|Stop|Change the limits/ })
      await expect.poll(() => changing.count()).toBe(0)
      await group.getByRole('link', { name: 'Not yours' }).click()
      await page.getByRole('heading', { name: 'Not yours' }).waitFor()
      expect(await changing.count()).toBe(0)
      await server.client.loops.stop(id)
      await page.getByText('Stopped', { exact: true }).waitFor()
    })

    test('shows that its iteration waits for a person', async () => {
      const { pages, server } = setup()
      const { id } = await server.client.loops.create({
        ...{ projectId: server.project.id, agent: 'demo', name: 'Asking', prompt: 'approve' },
        limits: { maxIterations: 1 },
      })
      const page = await pages.open(`loops/${id}`)
      await page.getByText('Iteration 1 needs you').waitFor()
      await page.getByRole('link', { name: 'Answer the request of iteration 1' }).click()
      await (await firstApproval(page)).waitFor()
      const beside = page.getByRole('navigation', { name: 'Sessions' })
      await beside.getByText('Iteration 1 needs you').waitFor()
      await server.client.loops.stop(id)
      await page.setViewportSize({ width: 1280, height: 120 })
      await page.goto(server.url)
      await page.getByRole('link', { name: 'Rules of garden' }).first().waitFor()
      // Only the list scrolls; below it, the page has nothing to show.
      expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBe(120)
    })

    test('is paused, resumed, limited and stopped, on a phone', async () => {
      const { pages, server } = setup()
      const { id } = await server.client.loops.create({
        projectId: server.project.id,
        agent: 'demo',
        name: 'Hourly',
        prompt: 'think',
        schedule: { everyMs: 3_600_000 },
      })
      const page = await pages.open('', { phone: true })
      const group = page.getByRole('region', { name: 'Loop: Hourly' })
      await group.getByText(/Next iteration in 59:/).waitFor()
      expect(await smallTargets(page)).toEqual([])
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
      await group.getByRole('link', { name: 'Hourly', exact: true }).tap()
      await page.getByRole('button', { name: 'Pause Hourly' }).tap()
      await page.getByText('Paused', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Resume Hourly' }).tap()
      await page.getByText(/Next iteration in/).waitFor()
      expect(await smallTargets(page)).toEqual([])
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)

      await page.getByRole('button', { name: 'Change the limits…' }).tap()
      const limits = page.getByRole('dialog', { name: 'Limits of the loop' })
      await limits.getByLabel('Cost in US dollars').fill('a lot')
      await limits.getByRole('button', { name: 'Save' }).tap()
      await limits.getByRole('alert').getByText('The cost must be an amount').waitFor()
      await limits.getByLabel('Cost in US dollars').fill('2.50')
      await limits.getByLabel('Iterations').fill('7')
      await limits.getByRole('button', { name: 'Save' }).tap()
      await page.getByText('of $2.50').waitFor()
      await page.getByText('1 of 7').waitFor()
      await page.getByRole('button', { name: 'Change the limits…' }).tap()
      await limits.getByLabel('Iterations').fill('')
      await limits.getByLabel('Same answer in a row').fill('9')
      await limits.getByRole('button', { name: 'Save' }).tap()
      await limits.waitFor({ state: 'detached' })
      const { limits: changed } = await server.client.loops.get(id)
      expect(changed).toEqual({ maxCostUsd: 2.5, maxFailures: 5, maxStale: 9 })

      await page.getByRole('button', { name: 'Stop Hourly' }).tap()
      await page.getByRole('button', { name: 'Stop loop' }).tap()
      await page.getByText('Stopped', { exact: true }).waitFor()
      expect(await server.client.loops.get(id)).toMatchObject({ end: { reason: 'stopped' } })
    })
  })

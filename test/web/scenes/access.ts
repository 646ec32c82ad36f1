import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { firstApproval, sendMessage } from '../support/pages.ts'
import type { Scene } from './scene.ts'

/** Accessibility, as axe measures it. */
export const access: Scene = (setup) =>
  describe.each([{ dark: false }, { dark: true }])('axe (dark: $dark)', ({ dark }) => {
    test('finds no serious violation on any page', async () => {
      const { pages, server } = setup()
      const { id } = await server.createSession('Accessible')
      const page = await pages.openSession(id, { dark })
      await sendMessage(page, 'Show me around')
      await firstApproval(page)
      expect(await violations(page)).toEqual([])
      const overview = await pages.open('', { dark })
      await firstApproval(overview)
      expect(await violations(overview)).toEqual([])
      await overview.getByRole('button', { name: 'New session', exact: true }).click()
      await overview.getByRole('radio').first().waitFor()
      expect(await violations(overview)).toEqual([])
      await page.getByRole('button', { name: 'Stop' }).click()
      await server.runsEnded(id)
      for (const name of ['Changes', 'Usage', 'Events', 'Rules']) {
        await page.getByRole('button', { name, exact: true }).click()
        expect(await violations(page)).toEqual([])
      }
      await page.getByRole('button', { name: 'More' }).click()
      expect(await violations(page)).toEqual([])
    })

    test('finds none on the pages about loops and money', async () => {
      const { pages, server } = setup()
      const loop = await server.client.loops.create({
        projectId: server.project.id,
        agent: 'demo',
        prompt: 'think',
        limits: { maxCostUsd: 1, maxIterations: 1 },
      })
      const page = await pages.open('cost', { dark })
      await page.getByRole('region', { name: 'Total' }).waitFor()
      expect(await violations(page)).toEqual([])
      await page.getByRole('link', { name: 'Budgets' }).click()
      await page.getByRole('button', { name: 'Set budget' }).waitFor()
      expect(await violations(page)).toEqual([])
      await page.goto(`${server.url}loops/${loop.id}`)
      await page.getByText('1 of 1').waitFor()
      expect(await violations(page)).toEqual([])
      await page.goto(server.url)
      await page.getByRole('button', { name: 'New loop' }).click()
      await page.getByRole('dialog').getByRole('radio').first().waitFor()
      expect(await violations(page)).toEqual([])
    })
  })

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const report = z.object({
  passes: z.array(z.object({ id: z.string() })).min(10),
  violations: z.array(
    z.object({
      id: z.string(),
      impact: z.string().nullish(),
      nodes: z.array(z.object({ html: z.string() })),
    }),
  ),
})

/** Serious violations on a page. Axe is evaluated, because the page’s policy allows no other script. */
const violations = async (page: Page): Promise<string[]> => {
  await page.evaluate(source)
  const found = await page.evaluate('axe.run()')
  return report
    .parse(found)
    .violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`)
}

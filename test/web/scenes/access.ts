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

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { approvalOn, say } from '../support/stage.ts'
import type { Scene } from './scene.ts'

/** Whether people can use it who see or reach less. */
export const access: Scene = (world) =>
  describe.each([{ dark: false }, { dark: true }])('axe (dark: $dark)', ({ dark }) => {
    test('finds nothing serious on any page', async () => {
      const { stage, server } = world()
      const { id } = await server.begin('Seen by all')
      const page = await stage.openSession(id, { dark })
      await say(page, 'Show me around')
      await approvalOn(page)
      expect(await violations(page)).toEqual([])
      const overview = await stage.open('', { dark })
      await approvalOn(overview)
      expect(await violations(overview)).toEqual([])
      await overview.getByRole('button', { name: 'New session', exact: true }).click()
      await overview.getByRole('radio').first().waitFor()
      expect(await violations(overview)).toEqual([])
      await page.getByRole('button', { name: 'Stop' }).click()
      await server.settled(id)
      for (const name of ['Changes', 'Usage', 'Events']) {
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

/** What axe finds that keeps somebody out; evaluated, since the page itself allows no other script. */
const violations = async (page: Page): Promise<string[]> => {
  await page.evaluate(source)
  const found = await page.evaluate('axe.run()')
  return report
    .parse(found)
    .violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`)
}

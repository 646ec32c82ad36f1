import { describe, test } from 'vitest'
import { say } from '../support/stage.ts'
import type { Scene } from './scene.ts'

/** A session is deleted, which somebody may regret. */
export const deleting: Scene = (world) =>
  describe('a session that was deleted', () => {
    test('is said to be so in other tabs, and lives on in all of them after an undo', async () => {
      const { stage, server } = world()
      const { id } = await server.begin('Regretted')
      const context = await stage.newContext()
      const page = await stage.openSession(id, {}, context)
      const other = await stage.openSession(id, {}, context)
      await say(page, 'think')
      await page.getByText('Done.', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'More' }).click()
      await page.getByRole('menuitem', { name: /Delete/ }).click()
      await other.getByText('This session was deleted.').waitFor()
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.getByRole('link', { name: /Regretted/ }).click()
      await say(page, 'parallel')
      for (const each of [page, other]) await each.getByText('Both are done.').waitFor()
      await other.getByLabel('Message to the agent').waitFor()
    })
  })

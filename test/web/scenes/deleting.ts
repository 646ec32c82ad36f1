import { describe, test } from 'vitest'
import { sendMessage } from '../support/pages.ts'
import type { Scene } from './scene.ts'

/** Deleting a session, and undoing that. */
export const deleting: Scene = (setup) =>
  describe('a deleted session', () => {
    test('is marked as deleted in other tabs, and works again in all of them after an undo', async () => {
      const { pages, server } = setup()
      const { id } = await server.createSession('Restored')
      const context = await pages.newContext()
      const page = await pages.openSession(id, {}, context)
      const other = await pages.openSession(id, {}, context)
      await sendMessage(page, 'think')
      await page.getByText('Done.', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'More' }).click()
      await page.getByRole('menuitem', { name: /Delete/ }).click()
      await other.getByText('This session was deleted.').waitFor()
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.getByRole('link', { name: /Restored/ }).click()
      await sendMessage(page, 'parallel')
      for (const each of [page, other]) await each.getByText('Both are done.').waitFor()
      await other.getByLabel('Message to the agent').waitFor()
    })
  })

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import type { Scene } from './scene.ts'

/** The disk has changed bytes of one session. */
export const damage: Scene = (setup) =>
  describe('a damaged session', () => {
    test('is named in the list, can be read up to the damage, and accepts no messages', async () => {
      const { pages, server } = setup()
      const { id } = await server.createSession('Damaged on disk')
      const { id: other } = await server.createSession('Intact')
      await server.client.sessions.prompt(id, 'fail')
      await server.runsEnded(id)
      await server.kill()
      damageFirstTool(join(server.root, '../data'), id)
      await server.start()

      const overview = await pages.open()
      const row = overview.locator('.session-row', { hasText: 'Damaged on disk' })
      await row.getByText('Damaged', { exact: true }).waitFor()
      const page = await pages.openSession(id)
      await page.getByText('A tool that fails:').waitFor()
      await page.getByText('This session is damaged and accepts no messages.').waitFor()
      await page.locator('.session-about').getByText('Damaged').waitFor()
      expect(await page.locator('.composer').count()).toBe(0)
      expect(await page.getByText('It failed, as intended').count()).toBe(0)
      // The others work as before.
      await server.client.sessions.prompt(other, 'fail')
    })
  })

/** Changes a letter of the first event about a tool, so that everything from it on is unreadable. */
const damageFirstTool = (data: string, id: string): void => {
  const database = new DatabaseSync(join(data, 'sluice.db'))
  const { changes } = database
    .prepare(
      `UPDATE events SET text = replace(text, '"toolName"', '"toolNane"') WHERE rowid = (
        SELECT events.rowid FROM events JOIN sessions ON sessions.number = events.session
        WHERE sessions.id = ? AND text LIKE '%"tool_execution_start"%' ORDER BY seq LIMIT 1)`,
    )
    .run(id)
  database.close()
  expect(changes).toBe(1)
}

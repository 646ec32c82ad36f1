import { describe, expect, test } from 'vitest'
import { assistantMessages, sendMessage } from '../support/pages.ts'
import type { SluiceServer } from '../support/server.ts'
import type { Scene } from './scene.ts'

/** The server crashes while a page is open. */
export const reconnect: Scene = (setup) =>
  describe('a killed server', () => {
    test('that starts again leaves the page with exactly what is in the log', async () => {
      const { pages, server } = setup()
      const { id } = await server.createSession('Killed')
      const page = await pages.openSession(id)
      await sendMessage(page, 'a long answer')
      await page.getByText('beside the text').first().waitFor()
      await server.kill()
      const shown = (await assistantMessages(page)).join('\n')
      await page
        .getByText(/Offline/)
        .first()
        .waitFor()
      await page
        .locator('.run-bar')
        .getByText(/Was (writing|thinking)/)
        .waitFor()
      expect(await page.getByRole('button', { name: 'Stop' }).isDisabled()).toBe(true)
      expect((await assistantMessages(page)).join('\n').startsWith(shown.trimEnd())).toBe(true)
      await server.start()
      const live = page.locator('.connection-live').first().waitFor()
      // The page may reconnect by itself before the button can be clicked.
      const clicked = page.getByRole('button', { name: 'Retry now' }).first().click()
      await Promise.any([clicked, live])
      await live
      await page
        .getByText(/interrupted/i)
        .first()
        .waitFor()
      const after = await assistantMessages(page)
      const fresh = await pages.openSession(id)
      await fresh
        .getByText(/interrupted/i)
        .first()
        .waitFor()
      expect(after).toEqual(await assistantMessages(fresh))
      expect(wordsOf(after.join(' '))).toEqual(wordsOf(await textInLog(server, id)))
      await sendMessage(page, 'think')
      await page.getByText('Done.', { exact: true }).waitFor()
    })
  })

/** All text of the agent in the log. */
const textInLog = async (server: SluiceServer, id: string): Promise<string> => {
  const { messages } = await server.client.sessions.messages(id)
  return messages
    .filter(({ role }) => role === 'assistant')
    .flatMap(({ content }) => content)
    .map((block) => (block.type === 'text' && typeof block.text === 'string' ? block.text : ''))
    .join(' ')
}

/** The words of a text, without the punctuation that Markdown renders differently. */
const wordsOf = (text: string): string[] =>
  text
    .replace(/\(https:[^)]*\)/g, ' ')
    .replace(/```\w*/g, ' ')
    .match(/[\p{L}\p{N}]+/gu)
    ?.filter((word) => !['ts', 'code', '1', '2'].includes(word)) ?? []

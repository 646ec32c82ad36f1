import { describe, expect, test } from 'vitest'
import { messagesOn, say } from '../support/stage.ts'
import type { Scene } from './scene.ts'

/** The server dies while somebody reads. */
export const reconnect: Scene = (world) =>
  describe('a server that is killed', () => {
    test('and comes back leaves the page with just what is in the log', async () => {
      const { stage, server } = world()
      const { id } = await server.begin('Killed')
      const page = await stage.openSession(id)
      await say(page, 'a long answer')
      await page.getByText('beside the text').first().waitFor()
      await server.kill()
      const shown = (await messagesOn(page)).join('\n')
      await page
        .getByText(/Offline/)
        .first()
        .waitFor()
      await page.locator('.run-bar').getByText('Was thinking').waitFor()
      expect(await page.getByRole('button', { name: 'Stop' }).isDisabled()).toBe(true)
      expect((await messagesOn(page)).join('\n').startsWith(shown.trimEnd())).toBe(true)
      await server.start()
      const live = page.locator('.connection-live').first().waitFor()
      // It may come back by itself before anybody can ask it to.
      const asked = page.getByRole('button', { name: 'Retry now' }).first().click()
      await Promise.any([asked, live])
      await live
      await page
        .getByText(/interrupted/i)
        .first()
        .waitFor()
      const after = await messagesOn(page)
      const fresh = await stage.openSession(id)
      await fresh
        .getByText(/interrupted/i)
        .first()
        .waitFor()
      expect(after).toEqual(await messagesOn(fresh))
      expect(wordsOf(after.join(' '))).toEqual(wordsOf(await textInLog(world, id)))
      await say(page, 'think')
      await page.getByText('Done.', { exact: true }).waitFor()
    })
  })

/** All that the agent said, from the log. */
const textInLog = async (world: Parameters<Scene>[0], id: string): Promise<string> => {
  const { messages } = await world().server.client.sessions.messages(id)
  return messages
    .filter(({ role }) => role === 'assistant')
    .flatMap(({ content }) => content)
    .map((block) => (block.type === 'text' && typeof block.text === 'string' ? block.text : ''))
    .join(' ')
}

/** The words of a text, without what Markdown makes of the signs between them. */
const wordsOf = (text: string): string[] =>
  text
    .replace(/\(https:[^)]*\)/g, ' ')
    .replace(/```\w*/g, ' ')
    .match(/[\p{L}\p{N}]+/gu)
    ?.filter((word) => !['ts', 'code', '1', '2'].includes(word)) ?? []

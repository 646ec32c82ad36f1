import { describe, expect, test } from 'vitest'
import { assistantMessages, sendMessage } from '../support/pages.ts'
import type { Scene } from './scene.ts'

/** Several tabs of one browser. */
export const tabs: Scene = (setup) =>
  describe('two tabs', () => {
    test('share one connection and show the same', async () => {
      const { pages, server } = setup()
      await expect.poll(server.openStreams).toBe(0)
      const { id } = await server.createSession('Shared')
      const context = await pages.newContext()
      const one = await pages.openSession(id, {}, context)
      await sendMessage(one, 'think')
      await one.getByText('Done.', { exact: true }).waitFor()
      const other = await pages.openSession(id, {}, context)
      await other.getByText('Done.', { exact: true }).waitFor()
      const overview = await pages.open('', {}, context)
      await overview.getByText('Shared').waitFor()
      expect(await server.openStreams()).toBe(1)
      await sendMessage(other, 'a long answer')
      await one.getByText('Markdown, as it streams').first().waitFor()
      await one.close()
      await server.runsEnded(id, 2)
      await other.getByText('That was long.').waitFor()
      const fresh = await pages.openSession(id)
      await fresh.getByText('That was long.').waitFor()
      expect((await assistantMessages(other)).at(-1)).toBe((await assistantMessages(fresh)).at(-1))
    })

    test('use a connection each if the browser has no shared workers, or if the worker fails', async () => {
      const { pages, server } = setup()
      await expect.poll(server.openStreams).toBe(0)
      const old = await pages.newContext()
      await old.addInitScript('delete window.SharedWorker')
      await pages.open('', {}, old)
      expect(await server.openStreams()).toBe(1)
      const broken = await pages.newContext()
      await broken.route('**/worker-*.js', (route) => route.fulfill({ status: 404 }))
      const page = await pages.open('', {}, broken)
      expect(await server.openStreams()).toBe(2)
      // A worker whose script never loads counts as failed.
      const stuck = await pages.newContext()
      await stuck.route('**/worker-*.js', () => {})
      await pages.open('', {}, stuck)
      expect(await server.openStreams()).toBe(3)
      const { id } = await server.createSession('Unshared')
      await page.getByRole('link', { name: /Unshared/ }).click()
      await sendMessage(page, 'think')
      await page.getByText('Done.', { exact: true }).waitFor()
      await server.runsEnded(id)
    })
  })

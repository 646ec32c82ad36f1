import { describe, expect, test } from 'vitest'
import { messagesOn, say } from '../support/stage.ts'
import type { Scene } from './scene.ts'

/** Several tabs of one browser. */
export const tabs: Scene = (world) =>
  describe('two tabs', () => {
    test('share one connection, and show the same', async () => {
      const { stage, server } = world()
      await expect.poll(server.streams).toBe(0)
      const { id } = await server.begin('Shared')
      const context = await stage.newContext()
      const one = await stage.openSession(id, {}, context)
      await say(one, 'think')
      await one.getByText('Done.', { exact: true }).waitFor()
      const other = await stage.openSession(id, {}, context)
      await other.getByText('Done.', { exact: true }).waitFor()
      const overview = await stage.open('', {}, context)
      await overview.getByText('Shared').waitFor()
      expect(await server.streams()).toBe(1)
      await say(other, 'a long answer')
      await one.getByText('Markdown, as it streams').first().waitFor()
      await one.close()
      await server.settled(id, 2)
      await other.getByText('That was long.').waitFor()
      const fresh = await stage.openSession(id)
      await fresh.getByText('That was long.').waitFor()
      expect((await messagesOn(other)).at(-1)).toBe((await messagesOn(fresh)).at(-1))
    })

    test('each have their own where a browser cannot share, and where its worker is gone', async () => {
      const { stage, server } = world()
      await expect.poll(server.streams).toBe(0)
      const old = await stage.newContext()
      await old.addInitScript('delete window.SharedWorker')
      await stage.open('', {}, old)
      expect(await server.streams()).toBe(1)
      const broken = await stage.newContext()
      await broken.route('**/worker-*.js', (route) => route.fulfill({ status: 404 }))
      const page = await stage.open('', {}, broken)
      expect(await server.streams()).toBe(2)
      // A script that never comes is as good as none.
      const stuck = await stage.newContext()
      await stuck.route('**/worker-*.js', () => {})
      await stage.open('', {}, stuck)
      expect(await server.streams()).toBe(3)
      const { id } = await server.begin('Unshared')
      await page.getByRole('link', { name: /Unshared/ }).click()
      await say(page, 'think')
      await page.getByText('Done.', { exact: true }).waitFor()
      await server.settled(id)
    })
  })

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { hasProc } from '../../../src/process/process-table.ts'
import { createPages } from '../support/pages.ts'
import { startSluice } from '../support/server.ts'
import { said, storeWatched, watchedId, writeMarker } from '../support/stored-watched.ts'

/** Sessions of agents that run in terminals. */
export const watched = (browser: Browser): unknown =>
  describe.skipIf(!hasProc)('a watched session', () => {
    test('shows what its agent does, and can be continued here once that has ended', async () => {
      const home = mkdtempSync(join(tmpdir(), 'sluice-watched-'))
      writeMarker(home, 'native-terminal', { status: 'waiting', waitingFor: 'permission prompt' })
      const events = [
        { type: 'agent_start' as const },
        ...said('user', 'Fix the flaky test', 'm1'),
        ...said('assistant', 'It was a race.', 'm2'),
        { type: 'agent_end' as const, stopReason: 'stop' },
      ]
      const presence = { state: 'idle' as const, pid: 1 }
      const server = await startSluice({
        // Any program will do: it is started with the first prompt only.
        env: { HOME: home, CLAUDE_BIN: process.execPath, CLAUDE_CONFIG_DIR: undefined },
        before: (data) =>
          storeWatched(
            data,
            join(data, '../projects/garden'),
            { nativeId: 'native-terminal', title: 'Fix the flaky test', presence, events },
            { nativeId: 'native-old', title: 'Last week' },
          ),
      })
      const pages = createPages(browser, server)
      try {
        const overview = await pages.open()
        const active = overview.getByRole('region', { name: 'Active' })
        const row = active.locator('.session-row', { hasText: 'Fix the flaky test' })
        await row.getByText('Waits in its terminal').waitFor()
        await row.getByText('Watched ·').waitFor()
        await overview.getByText('1 session waits in its terminal.').waitFor()
        expect(await overview.getByText('Nothing needs your input.').count()).toBe(0)

        const page = await pages.openSession(watchedId('native-terminal'))
        await page.getByText('It was a race.').waitFor()
        const bar = page.getByRole('region', { name: 'Continue here' })
        await bar.getByText('waits for an answer outside Sluice: permission prompt').waitFor()
        const button = bar.getByRole('button', { name: 'Continue here' })
        expect(await button.isDisabled()).toBe(true)
        expect(await page.getByLabel('Message to the agent').count()).toBe(0)

        writeMarker(home, 'native-terminal', { status: 'idle' })
        await bar.getByText(/is open outside Sluice \(process \d+\)/).waitFor()
        // The process works in another session from now on.
        writeMarker(home, 'native-other')
        await bar.getByText('has ended. Sluice can resume it from here.').waitFor()
        await page.locator('.session-about').getByText('Ended').waitFor()
        await button.click()
        await page.getByLabel('Message to the agent').waitFor()
        await page.getByText('Continued in Sluice').waitFor()
        await page.getByText('It was a race.').waitFor()
        expect(await bar.count()).toBe(0)

        const old = await pages.openSession(watchedId('native-old'))
        await old.getByText('has ended. Sluice can resume it from here.').waitFor()

        const settings = await pages.open('access')
        await settings.getByRole('link', { name: 'Watched' }).click()
        const claude = settings.getByRole('checkbox', { name: 'Claude Code' })
        await claude.click()
        await settings.getByRole('checkbox', { name: 'garden' }).click()
        await expect
          .poll(async () => {
            const { agents, projectsOff } = await server.client.watched.get()
            return [agents[0]?.state, projectsOff.length]
          })
          .toEqual(['off', 1])
        await claude.click()
        await expect
          .poll(async () => (await server.client.watched.get()).agents[0]?.state)
          .toBe('on')
        await pages.closeAll()
      } finally {
        await server.close()
        rmSync(home, { recursive: true, force: true })
      }
    })
  })

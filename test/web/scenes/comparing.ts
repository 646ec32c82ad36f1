import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { root } from '../../support/sluice.ts'
import { createPages, type Pages, sendMessage } from '../support/pages.ts'
import { type SluiceServer, startSluice } from '../support/server.ts'
import { smallTargets } from '../support/small-targets.ts'

/** The same prompt to several agents, from the page. */
export const comparing = (browser: Browser) =>
  describe('a comparison', () => {
    let server: SluiceServer
    let pages: Pages
    const git = (cwd: string, ...args: string[]) => execFileSync('git', args, { cwd })

    beforeAll(async () => {
      server = await startSluice({
        async before(data) {
          const command = [process.execPath, join(root, 'test/support/acp-agent.js')]
          const broken = [process.execPath, '-e', 'process.exit(3)']
          mkdirSync(data, { recursive: true, mode: 0o700 })
          writeFileSync(
            join(data, 'agents.json'),
            JSON.stringify({
              agents: [
                { name: 'one', title: 'Agent one', command },
                { name: 'two', title: 'Agent two', command },
                { name: 'broken', title: 'Broken agent', command: broken },
              ],
            }),
          )
        },
      })
      const { path } = server.project
      git(path, 'init', '-q', '-b', 'main')
      for (const [key, value] of [
        ['name', 'A'],
        ['email', 'a@example.org'],
      ] as const)
        git(path, 'config', `user.${key}`, value)
      writeFileSync(join(path, 'a.txt'), 'one\n')
      git(path, 'add', '-A')
      git(path, 'commit', '-qm', 'First')
      pages = createPages(browser, server)
    }, 120_000)
    afterEach(() => pages.closeAll())
    afterAll(() => server.close())

    test('is started from “New session”, shows the results side by side, and one is kept', async () => {
      const page = await pages.open()
      await page.getByRole('button', { name: 'New session' }).first().click()
      await page.getByRole('button', { name: 'Compare several agents…' }).click()
      const form = page.getByRole('dialog', { name: 'Compare agents' })
      await form.getByLabel(/^Agent one/).check()
      await form.getByLabel('Model of Agent one').waitFor()
      await form.getByRole('button', { name: 'Start' }).click()
      await form.getByRole('alert').getByText('Choose at least two agents.').waitFor()
      await form.getByLabel(/^Agent two/).check()
      await form.getByLabel(/^Broken agent/).check()
      await form.getByLabel('Prompt').fill('write the file')
      await form.getByRole('button', { name: 'Start' }).click()
      await page.waitForURL(/\/comparisons\//)
      for (const name of ['Agent one', 'Agent two']) {
        const row = page.getByRole('row', { name: new RegExp(`^${name} Done`) })
        await row.getByText('+2 −0').waitFor()
        const result = page.getByRole('region', { name: `Result of ${name}` })
        await result.getByText('Written.', { exact: true }).waitFor()
        await result.getByText('written.txt').waitFor()
      }
      await page.getByRole('row', { name: /^Broken agent Failed/ }).waitFor()
      // An agent that never got the prompt has nothing to keep, and its session the same title.
      const nothing = page.getByRole('region', { name: 'Result of Broken agent' })
      await nothing.getByText('No answer.').waitFor()
      expect(await nothing.getByRole('button', { name: 'Keep this one…' }).count()).toBe(0)
      const { sessions } = await server.client.sessions.list()
      expect(sessions.map(({ title }) => title)).toEqual(Array(3).fill('write the file'))
      const shown = page.getByRole('region', { name: 'Result of Agent two' })
      expect(await shown.locator('.compare-take code').innerText()).toMatch(
        /^git -C '.*-two' add -A && .* && git merge sluice\/.*-two$/,
      )

      const worktrees = await server.client.worktrees.list()
      expect(worktrees.map(({ state }) => state)).toEqual(['clean', 'changed', 'changed'])
      await shown.getByRole('button', { name: 'Keep this one…' }).click()
      const dialog = page.getByRole('dialog', { name: 'Keep the result of Agent two' })
      await dialog.getByText('1 file with changes').waitFor()
      await dialog.getByRole('button', { name: 'Delete' }).click()
      await dialog.waitFor({ state: 'detached' })
      await page
        .getByRole('region', { name: 'Result of Agent one' })
        .getByText('Its worktree was deleted.')
        .waitFor()
      const left = await server.client.worktrees.list()
      expect(left.map(({ path }) => path)).toEqual([expect.stringMatching(/-two$/)])

      await page.getByRole('link', { name: 'Agent two' }).first().click()
      await page.locator('.session-header').getByRole('link', { name: 'Comparison' }).waitFor()
      // What is not committed is not lost without a question.
      await page.getByRole('button', { name: 'More' }).click()
      await page.getByRole('menuitem', { name: /Delete/ }).click()
      const question = page.getByRole('dialog', { name: 'Delete this session?' })
      await question.getByRole('button', { name: 'Delete both' }).click()
      await page.waitForURL(server.url)
      expect(existsSync(left[0]?.path ?? '')).toBe(false)
    })

    test('fits a phone, and goes on after an approval', async () => {
      const { id, agents } = await server.client.comparisons.create({
        ...{ projectId: server.project.id, agents: ['one', 'demo'], prompt: 'ask' },
      })
      const page = await pages.open(`comparisons/${id}`, { phone: true })
      await page.getByRole('row', { name: /^Agent one Needs/ }).waitFor()
      await page.getByText('No answer yet.').first().waitFor()
      expect(await smallTargets(page)).toEqual([])
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
      // Without headings, a dash says nothing.
      expect(await page.locator('.missing-number:visible').count()).toBe(0)
      const sessionId = agents[0]?.session.id ?? ''
      const [waiting] = await server.client.approvals.list({ sessionId })
      await server.client.approvals.answer(waiting?.approvalId ?? '', { action: 'deny' })
      await page.getByText('chosen: no').waitFor()
      await page.getByRole('row', { name: /^Agent one Done/ }).waitFor()
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
    })

    test('a worktree can be chosen for one session', async () => {
      const page = await pages.open()
      await page.getByRole('button', { name: 'New session' }).first().click()
      const form = page.getByRole('dialog', { name: 'New session' })
      await form.getByLabel(/^Demo/).check()
      await form.getByText('Start options').click()
      await form.getByLabel(/Work in a new git worktree/).check()
      await form.getByRole('button', { name: 'Create session' }).click()
      await page.waitForURL(/\/sessions\//)
      await sendMessage(page, 'think')
      await page.getByText('Done.', { exact: true }).waitFor()
      const id = page.url().split('/').at(-1) ?? ''
      const { worktree } = await server.client.sessions.get(id)
      expect(existsSync(worktree?.path ?? '')).toBe(true)
      // Nothing would be lost, so nothing is asked.
      await page.getByRole('button', { name: 'More' }).click()
      await page.getByRole('menuitem', { name: /Delete/ }).click()
      await page.getByRole('button', { name: 'Undo' }).waitFor()
      expect(existsSync(worktree?.path ?? '')).toBe(false)
    })
  })

import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type AskingServer, startAskingServer } from '../support/asking-agent.ts'
import { createPages, firstApproval, type Pages } from '../support/pages.ts'
import { smallTargets } from '../support/small-targets.ts'

const rule = {
  type: 'addRules',
  rules: [{ toolName: 'Bash', ruleContent: `npm run ${'very-long-script-name-'.repeat(4)}:*` }],
  behavior: 'allow',
  destination: 'localSettings',
}
const suggestions = [
  rule,
  { type: 'addDirectories', directories: ['/srv/garden/pond'], destination: 'session' },
]
const init = {
  slash_commands: ['review', 'deploy', 'compact', 'release:notes'],
  skills: ['deploy'],
  agents: ['Explore', 'gardener'],
}
const todos = [
  { content: 'Read the plan', status: 'completed', activeForm: 'Reading the plan' },
  { content: 'Dig a hole', status: 'in_progress', activeForm: 'Digging a hole' },
  {
    content: `Fill it with water, ${'slowly and '.repeat(9)}carefully`,
    status: 'pending',
    activeForm: 'Filling it',
  },
]
const plan = { name: 'TodoWrite', input: { todos }, isFree: true, output: 'Todos were modified.' }
const command = { name: 'Bash', input: { command: 'npm test' } }

/** What an agent offers: choices of an approval, a to-do list, and commands to complete. */
export const offers = (browser: Browser): unknown =>
  describe('what an agent offers', () => {
    let server: AskingServer
    let pages: Pages
    beforeAll(async () => {
      server = await startAskingServer()
      pages = createPages(browser, server)
    }, 60_000)
    afterEach(() => pages.closeAll())
    afterAll(() => server.close())

    test.each([{ phone: false }, { phone: true }])(
      'its own choices are buttons, which wait until the request was read (%o)',
      async ({ phone }) => {
        const id = await server.request('Choices', { ...command, suggestions })
        const page = await pages.openSession(id, { phone })
        const card = await firstApproval(page)
        const always = card.getByRole('button', { name: /^Always allow Bash\(npm run/ })
        await expect.poll(() => always.isEnabled()).toBe(true)
        const [button, around] = [await always.boundingBox(), await card.boundingBox()]
        expect(button?.width).toBeLessThanOrEqual(around?.width ?? 0)
        expect(await page.evaluate(() => document.body.scrollWidth)).toBeLessThanOrEqual(
          phone ? 360 : 1280,
        )
        if (phone) expect(await smallTargets(page)).toEqual([])
        await always.click()
        await card.waitFor({ state: 'detached' })
        await server.runsEnded(id)
        const { messages } = await server.client.sessions.messages(id)
        expect(JSON.stringify(messages)).toContain('updatedPermissions')
      },
    )

    test('“deny and stop” denies and ends the run', async () => {
      const id = await server.request('Stopping', command)
      const page = await pages.openSession(id)
      const card = await firstApproval(page)
      await card.getByRole('button', { name: 'Deny and stop' }).click()
      await card.waitFor({ state: 'detached' })
      await server.runsEnded(id)
    })

    test.each([{ phone: false }, { phone: true }])(
      'its to-do list says how much is done, and is folded where there is little room (%o)',
      async ({ phone }) => {
        const id = await server.request('To do', plan, command)
        const page = await pages.openSession(id, { phone })
        await firstApproval(page)
        const head = page.getByRole('button', { name: /To do: 1 of 3 done/ })
        await head.getByText('Digging a hole').waitFor()
        expect(await page.locator('.todo-item').count()).toBe(0)
        await head.click()
        const items = page.locator('.todo-item')
        await expect.poll(() => items.count()).toBe(3)
        expect(await items.nth(1).textContent()).toContain('In progress: Dig a hole')
        if (phone) expect(await smallTargets(page)).toEqual([])
        await server.client.sessions.abort(id)
        await server.runsEnded(id)
      },
    )

    test('its commands, skills and subagents are completed with keys', async () => {
      const id = await server.run('Completed', { init })
      await server.runsEnded(id)
      const page = await pages.openSession(id)
      const field = page.locator('.composer textarea')
      await field.fill('/')
      const options = page.getByRole('option')
      await expect.poll(() => options.count()).toBe(4)
      await field.press('ArrowDown')
      expect(await page.getByRole('option', { selected: true }).innerText()).toContain('/deploy')
      await field.press('Tab')
      expect(await field.inputValue()).toBe('/deploy ')
      await expect.poll(() => options.count()).toBe(0)
      await page.keyboard.type('with @gard')
      await expect.poll(() => options.count()).toBe(1)
      await field.press('Enter')
      expect(await field.inputValue()).toBe('/deploy with @agent-gardener ')
      await field.fill('/rev')
      await expect.poll(() => options.count()).toBe(1)
      await field.press('Escape')
      await expect.poll(() => options.count()).toBe(0)
      expect(await field.inputValue()).toBe('/rev')
    })

    test('its commands are chosen with a finger', async () => {
      const id = await server.run('Tapped', { init })
      await server.runsEnded(id)
      const page = await pages.openSession(id, { phone: true })
      const field = page.locator('.composer textarea')
      await field.tap()
      await page.keyboard.type('/notes')
      await page.getByRole('option', { name: '/release:notes' }).waitFor()
      expect(await smallTargets(page)).toEqual([])
      await page.getByRole('option', { name: '/release:notes' }).tap()
      expect(await field.inputValue()).toBe('/release:notes ')
    })
  })

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type AskingServer, startAskingServer } from '../support/asking-agent.ts'
import {
  allowOf,
  createPages,
  firstApproval,
  type Pages,
  sendMessage,
  untilAllowable,
} from '../support/pages.ts'

/** A command whose harmful last line is far below the first ones. */
const longCommand = `npm test # ${'fine '.repeat(4000)}\n${'echo step\n'.repeat(100)}rm -rf ~/work`

/** What a card shows of requests that hide something. */
export const requests = (browser: Browser): unknown =>
  describe('a request', () => {
    let server: AskingServer
    let pages: Pages
    beforeAll(async () => {
      server = await startAskingServer()
      pages = createPages(browser, server)
    }, 60_000)
    afterEach(() => pages.closeAll())
    afterAll(() => server.close())

    const end = async (id: string) => {
      await server.client.sessions.abort(id)
      await server.runsEnded(id)
    }

    test('is allowed only after its end was on the screen', async () => {
      const id = await server.request('Long', { name: 'Bash', input: { command: longCommand } })
      const page = await pages.openSession(id)
      const card = await firstApproval(page)
      await card.getByText(/^\d+ more lines$/).waitFor()
      await card.getByText('Scroll to the end to allow').waitFor()
      // The call itself neither spins nor counts meanwhile.
      const call = page.locator('.tool-running')
      await call.getByText('waits for you').waitFor()
      expect(await call.locator('.spinner').count()).toBe(0)
      expect(await call.locator('.tool-time').count()).toBe(0)
      expect(await allowOf(card).isDisabled()).toBe(true)
      expect(await card.getByRole('button', { name: /^Edit/ }).isDisabled()).toBe(true)
      expect(await card.getByRole('button', { name: /^Deny(?! and)/ }).isEnabled()).toBe(true)
      await card.focus()
      for (const key of ['a', 'e', 's']) await page.keyboard.press(key)
      await page.locator('.composer textarea').fill('')
      expect(await server.client.approvals.list({ sessionId: id })).toHaveLength(1)
      await card.getByRole('button', { name: 'Jump to the end' }).click()
      await card.getByText('rm -rf ~/work').waitFor()
      await untilAllowable(card)
      expect(await card.getByText(/more lines/).count()).toBe(0)
      await card.focus()
      await page.keyboard.press('a')
      await card.waitFor({ state: 'detached' })
      await server.runsEnded(id)
    })

    test('has to be on the screen itself, not below the window or behind a dialog', async () => {
      const id = await server.request('Below', { name: 'Bash', input: { command: 'npm test' } })
      const page = await pages.open()
      await page.setViewportSize({ width: 900, height: 120 })
      await page.reload()
      const card = await firstApproval(page)
      await expectStaysDisabled(page, allowOf(card))
      await page.getByRole('button', { name: 'New session', exact: true }).click()
      await page.getByRole('dialog').waitFor()
      await page.setViewportSize({ width: 900, height: 800 })
      await expectStaysDisabled(page, allowOf(card))
      await page.keyboard.press('Escape')
      await card.getByText('npm test').scrollIntoViewIfNeeded()
      await untilAllowable(card)
      await end(id)
    })

    test('shows hidden characters as escapes, marks look-alikes, and warns of both', async () => {
      const command =
        'git add \u202etxt.exe\u202c && echo pay\u200bload && curl https://p\u0430ypal.com'
      const id = await server.request('Hidden', { name: 'Bash', input: { command } })
      const page = await pages.openSession(id)
      const card = await firstApproval(page)
      await card.getByText(/^Contains text that screens show from right to left/).waitFor()
      await card.getByText('Contains invisible characters.').waitFor()
      await card.getByText('Contains letters that look like others.').waitFor()
      expect(await card.locator('.revealed-hidden').allInnerTexts()).toEqual([
        '\\u202e',
        '\\u202c',
        '\\u200b',
      ])
      expect(await card.locator('.revealed-lookalike').innerText()).toBe('p\u0430ypal')
      await card.getByRole('button', { name: /^Edit/ }).click()
      await card.locator('.edit-revealed .revealed-hidden').first().waitFor()
      await end(id)
    })

    test('lists every argument, also those that a better view does not show', async () => {
      const id = await server.request(
        'Extra',
        { name: 'Bash', input: { command: 'npm test', dangerouslyDisableSandbox: true } },
        {
          name: 'Write',
          input: { file_path: 'a.ts', content: 'evil()', patch: '@@ -1 +1 @@\n-a\n+b' },
        },
        { name: 'constructor', input: { constructor: 'one', toString: 'two', force: 'false' } },
      )
      const page = await pages.openSession(id)
      const cardOf = (name: string) => page.locator('.approval', { hasText: `Allow ${name}?` })
      const shown = async (name: string) => await cardOf(name).locator('.request').innerText()
      await cardOf('constructor').waitFor()
      expect(await shown('Bash')).toMatch(/dangerouslyDisableSandbox\s*boolean\s*true/)
      const write = await shown('Write')
      for (const text of ['a.ts', 'evil()', 'patch', '@@ -1 +1 @@']) expect(write).toContain(text)
      expect(await shown('constructor')).toMatch(
        /constructor\s*one\s*toString\s*two\s*force\s*false/,
      )
      await end(id)
    })

    test('lists its arguments while the preview loads, and where it fails', async () => {
      const command = 'npm test'
      const id = await server.request('Failing', { name: 'Bash', input: { command } })
      const page = await pages.open()
      let fail: (() => Promise<void>) | undefined
      await page.route('**/api/v1/approvals/*/preview', (route) => {
        fail = () => route.abort()
      })
      await page.goto(`${server.url}sessions/${id}`)
      const card = await firstApproval(page)
      await card.getByRole('region', { name: 'Arguments' }).getByText(command).waitFor()
      await expect.poll(() => fail).toBeDefined()
      await expectStaysDisabled(page, allowOf(card))
      await fail?.()
      await card.getByText('Could not load the preview').waitFor()
      await card.getByRole('region', { name: 'Arguments' }).getByText(command).waitFor()
      await untilAllowable(card)
      await end(id)
    })

    test('for a plan renders it, and can be answered, approved, or approved with all edits', async () => {
      const plan = '# Move the pond\n\n1. Dig a **hole**\n2. Fill it'
      const call = { name: 'ExitPlanMode', input: { plan }, requested: { depth: 2 } }
      const id = await server.request('Plan', call)
      const page = await pages.openSession(id)
      const card = await firstApproval(page)
      await card.getByRole('heading', { name: 'Approve this plan?' }).waitFor()
      const shown = card.getByRole('region', { name: 'Plan' })
      expect(await shown.locator('ol li').allInnerTexts()).toEqual(['Dig a hole', 'Fill it'])
      expect(await shown.innerText()).toMatch(/Other arguments:\s*depth\s*number\s*2/)
      await card.getByRole('button', { name: 'Reply…' }).click()
      await card.getByLabel(/What should change\?/).fill('Dig less')
      await card.getByRole('button', { name: 'Reply', exact: true }).click()
      await card.waitFor({ state: 'detached' })
      const entry = page.locator('.tool-plan').first()
      await entry.getByText('Denied. “Dig less”').waitFor()
      expect(await entry.locator('ol li').count()).toBe(2)
      await server.runsEnded(id)

      await server.client.sessions.prompt(id, JSON.stringify({ calls: [call] }))
      const again = await firstApproval(page)
      const approve = again.getByRole('button', { name: 'Approve', exact: true })
      await expect.poll(() => approve.isEnabled()).toBe(true)
      await again.getByRole('button', { name: 'Approve and accept edits' }).click()
      await server.runsEnded(id, 2)
      const { messages } = await server.client.sessions.messages(id)
      expect(JSON.stringify(messages.at(-1))).toContain('acceptEdits')
    })

    test('for a background command leaves a task, whose output can be read and that can be ended', async () => {
      const directory = join(server.root, 'garden', 'tasks')
      const file = join(directory, 't1.output')
      mkdirSync(directory)
      writeFileSync(file, 'listening on 8080\n')
      const id = await server.request('Task', {
        name: 'Bash',
        input: { command: 'npm run dev', description: 'Dev server', run_in_background: true },
        output: `Command running in background with ID: t1. Output is being written to: ${file}. You will be notified.`,
      })
      const page = await pages.openSession(id)
      const card = await firstApproval(page)
      await untilAllowable(card)
      await allowOf(card).click()
      await server.runsEnded(id)
      const task = page.locator('.task-item', { hasText: 'Dev server' })
      await task.getByRole('button', { name: 'Output', exact: true }).click()
      await task.getByText('listening on 8080').waitFor()
      writeFileSync(file, 'listening on 8080\nGET /\n')
      await task.getByText('GET /').waitFor()
      await task.getByRole('button', { name: 'End Dev server' }).click()
      await task.waitFor({ state: 'detached' })
    })

    test('to an agent that is silent is on the page at once, and says how far it came', async () => {
      const { id } = await server.createSession('Mute', 'claude', 'claude-opus-5-5')
      const page = await pages.openSession(id)
      await sendMessage(page, '{"isMute":true}')
      const message = page.locator('.message-user')
      await message.getByText('Sent', { exact: true }).waitFor()
      await page.locator('.session-header').getByText('Starting').waitFor()
      expect(await page.getByText('No messages yet').count()).toBe(0)
      await page.reload()
      await message.getByText('Sent', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Stop', exact: true }).click()
      await message.getByText(/^Not delivered/).waitFor()
      await message.getByRole('button', { name: 'Retry' }).waitFor()
      await server.runsEnded(id)
    })

    test('to an agent that dies at its start names the reason once, with one button to retry', async () => {
      const { id } = await server.createSession('Dies', 'claude', 'claude-opus-5-5')
      const page = await pages.openSession(id)
      await sendMessage(page, '{"dies":"The module core is missing"}')
      await page.locator('.message-user').getByText('Not delivered.', { exact: true }).waitFor()
      await page.locator('.session-header').getByText('Failed').waitFor()
      expect(await page.getByText(/The module core is missing\.?$/).count()).toBe(1)
      expect(await page.getByRole('button', { name: 'Retry' }).count()).toBe(1)
    })

    test('to edit a file that is denied does not look like a change that was made', async () => {
      const input = { file_path: join(server.root, 'garden', 'a.txt'), content: 'never written' }
      const id = await server.request('Unmade', { name: 'Write', input })
      const page = await pages.openSession(id)
      const card = await firstApproval(page)
      await card.getByRole('button', { name: /^Deny(?! and)/ }).click()
      await card.getByRole('button', { name: 'Deny', exact: true }).click()
      const call = page.locator('.tool-failed')
      await call.getByText('This change was not made.').waitFor()
      expect(await call.getByText('never written').count()).toBe(0)
      await call.getByRole('button', { name: 'What the agent wanted to change' }).click()
      await call.getByText('never written').waitFor()
      await server.runsEnded(id)
    })

    test('that changed is not decided: the card shows the current one', async () => {
      const id = await server.request('Changed', { name: 'Bash', input: { command: 'npm test' } })
      const page = await pages.openSession(id)
      const hashes: unknown[] = []
      await page.route('**/api/v1/approvals/*', async (route) => {
        if (route.request().method() !== 'POST') return route.continue()
        const body = route.request().postDataJSON()
        hashes.push(body.hash)
        if (hashes.length > 1) return route.continue()
        await route.continue({ postData: JSON.stringify({ ...body, hash: 'another' }) })
      })
      const card = await firstApproval(page)
      await allowOf(card).click()
      await card.getByText('The request has changed, so nothing was decided.').waitFor()
      await allowOf(card).click()
      await card.waitFor({ state: 'detached' })
      await server.runsEnded(id)
      expect(hashes).toEqual([expect.stringMatching(/^[\da-f]{64}$/), hashes[0]])
    })
  })

/** Expects that a button stays disabled while the page draws some frames. */
const expectStaysDisabled = async (page: Page, button: Locator): Promise<void> => {
  await page.evaluate(async () => {
    for (let frame = 0; frame < 20; frame += 1)
      await new Promise((resolve) => requestAnimationFrame(resolve))
  })
  expect(await button.isDisabled()).toBe(true)
}

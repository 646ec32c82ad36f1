import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import type { Browser } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { createPages, firstApproval } from '../support/pages.ts'
import { startSluice } from '../support/server.ts'

const program = new URL('../../../src/agents/sluice-hook.js', import.meta.url).pathname

/** Questions of an agent in a terminal, which its hook asks. */
export const terminalQuestions = (browser: Browser): unknown =>
  describe('a question from a terminal', () => {
    test('is answered on a phone, changed, and closes when the terminal was first', async () => {
      let data = ''
      const server = await startSluice({
        async before(directory) {
          data = directory
        },
      })
      const pages = createPages(browser, server)
      /** Starts the hook as Claude Code does, and returns what it prints. */
      const hook = (event: string, more: object = {}): Promise<string> => {
        const child = spawn(process.execPath, [program, 'claude', 'user', data], {
          env: { PATH: process.env.PATH, CLAUDE_PID: `${process.pid}` },
          stdio: ['pipe', 'pipe', 'inherit'],
        })
        const session = {
          ...{ session_id: 'a-terminal', cwd: server.project.path },
          transcript_path: '/nowhere/a-terminal.jsonl',
        }
        const call = { tool_name: 'Bash', tool_input: { command: 'npm publish' } }
        child.stdin.end(JSON.stringify({ ...session, ...call, hook_event_name: event, ...more }))
        return text(child.stdout)
      }
      const decision = async (output: Promise<string>): Promise<unknown> =>
        JSON.parse(await output).hookSpecificOutput.decision
      try {
        await hook('UserPromptSubmit')
        const [session] = (await server.client.sessions.list()).sessions
        const page = await pages.openSession(session?.id ?? '', { phone: true })
        await page.getByText('This session is read-only here.').waitFor()

        const first = hook('PermissionRequest')
        const card = await firstApproval(page)
        await card.getByText('npm publish').waitFor()
        await card.getByRole('button', { name: /^Edit/ }).click()
        await card.getByLabel('Command').fill('npm publish --dry-run')
        await card.getByRole('button', { name: 'Allow with changes' }).click()
        expect(await decision(first)).toEqual({
          behavior: 'allow',
          updatedInput: { command: 'npm publish --dry-run' },
        })

        const second = hook('PermissionRequest')
        const other = await firstApproval(page)
        await other.getByRole('button', { name: /^Deny/ }).first().click()
        const send = other.getByRole('button', { name: 'Deny', exact: true })
        if ((await send.count()) > 0) await send.click()
        expect(await decision(second)).toMatchObject({ behavior: 'deny' })

        const third = hook('PermissionRequest')
        await firstApproval(page)
        await hook('PostToolUse', { tool_use_id: 'toolu_1' })
        await page.locator('.approval').waitFor({ state: 'detached' })
        expect(await third).toBe('')
        await pages.closeAll()
      } finally {
        await server.close()
      }
    })
  })

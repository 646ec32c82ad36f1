import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { piSetup } from '../../agents/pi.ts'
import { startModel } from '../../model/server.ts'
import { agentProgram } from '../../support/agent-program.ts'
import { createPages } from '../support/pages.ts'
import { startSluice } from '../support/server.ts'

/** What a person chooses about an agent: how it starts, its mode, its switches, shell commands. */
export const agentChoices = (browser: Browser): unknown =>
  describe('the choices of an agent', () => {
    const start = async () => {
      const model = await startModel()
      const setup = piSetup('0.87', model.url)
      // Its version is all that is needed: a mode that is chosen before the agent runs is stored.
      const claude = join(setup.cwd, '..', 'claude')
      writeFileSync(claude, '#!/bin/sh\necho "2.1.325 (Claude Code)"\n')
      chmodSync(claude, 0o755)
      const env = { ...setup.env, PI_BIN: agentProgram(setup), CLAUDE_BIN: claude }
      const server = await startSluice({ env })
      const close = async () => {
        await server.close()
        await model.close()
        setup.remove()
      }
      return { server, pages: createPages(browser, server), close }
    }

    test('are offered only where the agent has them, when a session starts and later', async () => {
      const { server, pages, close } = await start()
      try {
        const page = await pages.open()
        await page.getByRole('button', { name: 'New session', exact: true }).first().click()
        const dialog = page.getByRole('dialog')
        await dialog.getByRole('radio', { name: /^Pi/ }).check()
        await dialog.getByText(/approvals · steering/).waitFor()
        const hint = dialog.getByText(/npm install -g @qwen-code/)
        expect(await hint.isVisible()).toBe(false)
        await dialog.getByText(/^Not installed/).click()
        await hint.waitFor()
        expect(await dialog.getByRole('radio', { name: /^(Qwen|Plain text)/ }).count()).toBe(0)
        const level = dialog.getByLabel('Thinking level')
        expect(await level.isVisible()).toBe(false)
        await dialog.getByText('Start options').click()
        await level.waitFor()
        expect(await dialog.getByLabel('Permission mode').count()).toBe(0)
        expect(await dialog.getByLabel(/^MCP servers/).count()).toBe(0)
        await dialog.getByRole('radio', { name: /^Claude Code/ }).check()
        await dialog.getByLabel('Permission mode').selectOption({ label: 'Plan' })
        await level.selectOption('high')
        await dialog.getByLabel(/^Tools that it must not use/).fill('WebFetch\nBash(rm *)')
        await dialog.getByLabel(/^MCP servers/).fill('not json')
        await dialog.getByRole('button', { name: 'Create session' }).click()
        await dialog.getByText(/The MCP servers must be JSON/).waitFor()
        await dialog.getByLabel(/^MCP servers/).fill('{"files": {"command": "files-mcp"}}')
        await dialog.getByRole('button', { name: 'Create session' }).click()
        await changeMode(page)
        const { sessions } = await server.client.sessions.list()
        expect(sessions[0]?.start).toEqual({
          mode: 'acceptEdits',
          thinkingLevel: 'high',
          deniedTools: ['WebFetch', 'Bash(rm *)'],
          mcpServers: ['files'],
        })
        await pages.closeAll()
      } finally {
        await close()
      }
    })

    test('include the switches and the shell of Pi, and no mode', async () => {
      const { server, pages, close } = await start()
      try {
        const { id } = await server.createSession('Pi', 'pi', 'fake/fake-sonnet')
        const page = await pages.openSession(id, { phone: true })
        await openItem(page, 'Run a shell command…')
        await page.getByRole('textbox', { name: 'Command' }).fill('echo from the shell')
        await page.getByRole('button', { name: 'Run', exact: true }).click()
        await page.locator('.output pre', { hasText: 'from the shell' }).waitFor()
        await openItem(page, 'Automatic actions…')
        const retries = page.getByRole('group', { name: 'Automatic retries' })
        await retries.getByRole('button', { name: 'Off' }).click()
        await retries.locator('[aria-pressed=true]', { hasText: 'Off' }).waitFor()
        await page.getByRole('button', { name: 'Close' }).click()
        await page.getByRole('button', { name: 'More' }).click()
        expect(await page.getByRole('menuitem', { name: 'Permission mode…' }).count()).toBe(0)
        await pages.closeAll()
      } finally {
        await close()
      }
    })
  })

const openItem = async (page: Page, name: string): Promise<void> => {
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name }).click()
}

/** The header shows the mode, and changes it. */
const changeMode = async (page: Page): Promise<void> => {
  await page.locator('.session-about').getByRole('button', { name: 'Plan' }).click()
  await page.getByRole('radio', { name: /^Accept edits/ }).check()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('.session-about').getByRole('button', { name: 'Accept edits' }).waitFor()
}

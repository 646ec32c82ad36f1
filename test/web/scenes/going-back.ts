import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { claudeSetup } from '../../agents/claude.ts'
import { piSetup } from '../../agents/pi.ts'
import type { AgentSetup } from '../../agents/sandbox.ts'
import { startModel } from '../../model/server.ts'
import { agentProgram } from '../../support/agent-program.ts'
import { eventually } from '../../support/eventually.ts'
import { createPages } from '../support/pages.ts'
import { startSluice } from '../support/server.ts'

/** Going back: forks of a session, and files as they were before a message. */
export const goingBack = (browser: Browser): unknown =>
  describe('going back', () => {
    const start = async (variable: string, setUp: (url: string) => AgentSetup) => {
      const model = await startModel()
      const setup = setUp(model.url)
      const server = await startSluice({ env: { ...setup.env, [variable]: agentProgram(setup) } })
      const close = async () => {
        await server.close()
        await model.close()
        setup.remove()
      }
      return { server, pages: createPages(browser, server), model, close }
    }

    test('a message is tried again in a fork, and the headers link both sessions', async () => {
      const rig = await start('PI_BIN', (url) => piSetup('0.87', url))
      const { server, pages, model, close } = rig
      try {
        const { id } = await server.createSession('Roses', 'pi', 'fake/fake-sonnet')
        await server.client.sessions.prompt(id, 'scenario:text the first is quince')
        await server.runsEnded(id)
        await server.client.sessions.prompt(id, 'scenario:text the second is medlar')
        await server.runsEnded(id, 2)
        const page = await pages.openSession(id)
        await page.locator('.message-user').last().hover()
        await page.getByRole('button', { name: 'Fork before this message' }).last().waitFor()
        await actOn(page, 'medlar', 'Fork before this message')
        const field = page.getByRole('textbox', { name: /message/i })
        await eventually(async () =>
          expect(await field.inputValue()).toBe('scenario:text the second is medlar'),
        )
        await page.getByRole('link', { name: 'Fork of an earlier point of Roses' }).waitFor()
        await field.fill('scenario:text rather rowan')
        await field.press('Enter')
        await page.getByText('Hello from the model.').waitFor()
        expect(model.requests.at(-1)?.body).toContain('quince')
        expect(model.requests.at(-1)?.body).not.toContain('medlar')
        expect(await page.getByRole('button', { name: /^Restore files/ }).count()).toBe(0)

        await page.getByRole('link', { name: /^Fork of/ }).click()
        await page.getByRole('link', { name: /^Forked: / }).waitFor()
        await page.getByRole('button', { name: 'More' }).click()
        await page.getByRole('menuitem', { name: 'Fork (continue a copy)' }).click()
        await page.getByRole('link', { name: 'Fork of Roses' }).waitFor()
        await pages.closeAll()
      } finally {
        await close()
      }
    })

    const claude = claudeSetup('http://127.0.0.1')
    claude.setup?.remove()
    if (!claude.setup) console.log(`skipped: restoring files: ${claude.reason}`)
    test.skipIf(!claude.setup)('files are restored after a look at what would change', async () => {
      const { server, pages, close } = await start('CLAUDE_BIN', (url) => {
        const { setup } = claudeSetup(url)
        if (!setup) throw new Error('the program went away')
        return setup
      })
      try {
        const { id } = await server.client.sessions.create({
          ...{ projectId: server.project.id, agent: 'claude', name: 'Files' },
          ...{ model: 'claude-sonnet-4-5', start: { mode: 'acceptEdits' } },
        })
        for (const [index, scenario] of ['write-one', 'write-two'].entries()) {
          await server.client.sessions.prompt(id, `scenario:${scenario} please`)
          await server.runsEnded(id, index + 1)
        }
        const made = join(server.root, 'garden', 'made.txt')
        expect(readFileSync(made, 'utf8')).toBe('two and more\n')
        const page = await pages.openSession(id, { phone: true })
        await actOn(page, 'write-two', 'Restore files to before this message')
        await page.getByText('This file goes back to the state before the message').waitFor()
        await page.getByRole('button', { name: 'Restore', exact: true }).click()
        await page.getByText('Restored 1 file.').waitFor()
        expect(readFileSync(made, 'utf8')).toBe('one\n')
        await page.getByText(/^Files were restored/).waitFor()
        await pages.closeAll()
      } finally {
        await close()
      }
    })
  })

/** Presses a button below a message of the user. */
const actOn = async (page: Page, text: string, name: string): Promise<void> => {
  const message = page.locator('.message-user', { hasText: text })
  await message.hover()
  await message.getByRole('button', { name }).click()
}

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { piSetup } from '../../agents/pi.ts'
import { createSandbox } from '../../agents/sandbox.ts'
import { startModel } from '../../model/server.ts'
import { agentProgram } from '../../support/agent-program.ts'
import { createPages, firstApproval, sendMessage } from '../support/pages.ts'
import { startSluice } from '../support/server.ts'

const path = (relative: string) => new URL(relative, import.meta.url).pathname

/** Questions of agents and their extensions to the user. */
export const questions = (browser: Browser): unknown =>
  describe('a question', () => {
    test('of Claude Code is a form, and its answer is the recorded one', async () => {
      const sandbox = createSandbox('recorded-agent')
      const argv = [process.execPath, path('../../support/recorded-agent.js')]
      const program = agentProgram({ ...sandbox, argv })
      const env = {
        ...sandbox.env,
        CLAUDE_BIN: program,
        RECORDED_DIALOG: path('../../../recordings/claude/2.1.325/bi-ask'),
        DIALOG_REPORT: join(sandbox.cwd, 'report.json'),
      }
      const server = await startSluice({ env })
      const pages = createPages(browser, server)
      try {
        const { id } = await server.createSession('Asked', 'claude', 'claude-opus-5-5')
        const page = await pages.openSession(id)
        await sendMessage(page, 'scenario:ask go')
        const card = await firstApproval(page)
        const called = page.locator('.entry-scroll').getByText('Question', { exact: true })
        expect(await called.count()).toBe(1)
        await page.locator('.session-header').getByText('Has a question').waitFor()
        const answer = card.getByRole('button', { name: 'Answer', exact: true })
        expect(await answer.isDisabled()).toBe(true)
        const own = card.getByLabel('Other answer: Which colour?')
        await own.fill('Teal')
        await card
          .getByRole('group', { name: /Which colour\?/ })
          .getByLabel('Blue')
          .check()
        expect(await own.inputValue()).toBe('')
        await answer.click()
        await server.runsEnded(id)
        await page.locator('.answers', { hasText: 'Which colour?' }).getByText('Blue').waitFor()
        await pages.closeAll()
      } finally {
        await server.close()
        sandbox.remove()
      }
    })

    test('of an agent over ACP is a form with limits, or an address with its host', async () => {
      const command = [process.execPath, path('../../support/form-agent.js')]
      const agents = [{ name: 'gardener', title: 'Gardener', command }]
      const server = await startSluice({
        async before(data) {
          mkdirSync(data, { recursive: true, mode: 0o700 })
          writeFileSync(join(data, 'agents.json'), JSON.stringify({ agents }))
        },
      })
      const pages = createPages(browser, server)
      try {
        const { id } = await server.createSession('Form', 'gardener')
        const page = await pages.openSession(id)
        await sendMessage(page, 'form')
        const form = page.locator('.approval', { hasText: 'Gardener asks for input' })
        await form.getByText('About your garden.').waitFor()
        const send = form.getByRole('button', { name: 'Answer', exact: true })
        expect(await send.isDisabled()).toBe(true)
        await form.getByLabel('Answer: How is it called?').fill('Rose')
        await form.getByLabel('Answer: Size').fill('9')
        await send.click()
        await form.getByText('The highest number is 5.').waitFor()
        await form.getByLabel('Answer: Size').fill('3')
        await form.getByLabel('blue').check()
        await form.getByLabel('No answer').check()
        await send.click()
        await page.getByText('"content":{"name":"Rose","size":3}').first().waitFor()
        await sendMessage(page, 'url')
        const link = page.locator('.approval', { hasText: 'Log in to the garden.' })
        await link.getByText('example.org', { exact: true }).waitFor()
        await link.getByText('https://example.org/login?state=1').waitFor()
        await link.getByRole('button', { name: 'Open example.org' }).waitFor()
        await link.getByRole('button', { name: 'Cancel' }).click()
        await page.getByText('got {"action":"cancel"}').first().waitFor()
        await pages.closeAll()
      } finally {
        await server.close()
      }
    })

    test('of a Pi extension is a choice, a line of text or a confirmation', async () => {
      const model = await startModel()
      const setup = piSetup('0.87', model.url)
      const extensions = join(setup.env.PI_CODING_AGENT_DIR ?? '', 'extensions')
      mkdirSync(extensions)
      writeFileSync(join(extensions, 'ask.js'), extension)
      const server = await startSluice({ env: { ...setup.env, PI_BIN: agentProgram(setup) } })
      const pages = createPages(browser, server)
      try {
        const { id } = await server.createSession('Extension', 'pi', 'fake/fake-sonnet')
        const page = await pages.openSession(id)
        await sendMessage(page, 'scenario:tool please')
        const card = (title: string) => page.locator('.approval', { hasText: title })
        const tool = card('Allow bash?')
        const choice = card('Which way?')
        await tool.or(choice).first().waitFor()
        if (await tool.count())
          await tool.getByRole('button', { name: 'Allow', exact: true }).click()
        await choice.getByLabel('left').check()
        await choice.getByRole('button', { name: 'Answer' }).click()
        await card('How far?').getByLabel('Answer').fill('two miles')
        await card('How far?').getByRole('button', { name: 'Answer' }).click()
        await card('Sure?').getByRole('button', { name: 'Yes' }).click()
        await page.getByText('left, two miles, true').first().waitFor()
        await pages.closeAll()
      } finally {
        await server.close()
        await model.close()
        setup.remove()
      }
    })
  })

/** A Pi extension that asks three questions before a tool call, and blocks it with the answers. */
const extension = `export default (pi) => {
  pi.on('tool_call', async (_, ctx) => {
    const way = await ctx.ui.select('Which way?', ['left', 'right'])
    const far = await ctx.ui.input('How far?', 'in miles')
    const isSure = await ctx.ui.confirm('Sure?', 'There is no way back.')
    return { block: true, reason: [way, far, isSure].join(', ') }
  })
}
`

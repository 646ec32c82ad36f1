import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { piSetup } from '../../agents/pi.ts'
import { createSandbox } from '../../agents/sandbox.ts'
import { startModel } from '../../model/server.ts'
import { programOf } from '../../support/program.ts'
import { startServer } from '../support/server.ts'
import { approvalOn, openStage, say } from '../support/stage.ts'

const path = (relative: string) => new URL(relative, import.meta.url).pathname

/** What agents want to know of a person. */
export const questions = (browser: Browser): unknown =>
  describe('a question', () => {
    test('of Claude Code is a form, and its answer the one that was recorded', async () => {
      const sandbox = createSandbox('stand-in')
      const argv = [process.execPath, path('../../support/stand-in.js')]
      const program = programOf({ ...sandbox, argv })
      const env = {
        ...sandbox.env,
        CLAUDE_BIN: program,
        STAND_IN_RECORDING: path('../../../recordings/claude/2.1.325/bi-ask'),
        STAND_IN_REPORT: join(sandbox.cwd, 'report.json'),
      }
      const server = await startServer({ env })
      const stage = openStage(browser, server)
      try {
        const { id } = await server.begin('Asked', 'claude', 'claude-opus-5-5')
        const page = await stage.openSession(id)
        await say(page, 'scenario:ask go')
        const card = await approvalOn(page)
        const called = page.locator('.entry-scroll').getByText('AskUserQuestion')
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
        await server.settled(id)
        await page.locator('.answers', { hasText: 'Which colour?' }).getByText('Blue').waitFor()
        await stage.clear()
      } finally {
        await server.close()
        sandbox.remove()
      }
    })

    test('of a Pi extension is a choice, a line or a yes', async () => {
      const model = await startModel()
      const setup = piSetup('0.87', model.url)
      const extensions = join(setup.env.PI_CODING_AGENT_DIR ?? '', 'extensions')
      mkdirSync(extensions)
      writeFileSync(join(extensions, 'ask.js'), extension)
      const server = await startServer({ env: { ...setup.env, PI_BIN: programOf(setup) } })
      const stage = openStage(browser, server)
      try {
        const { id } = await server.begin('Extension', 'pi', 'fake/fake-sonnet')
        const page = await stage.openSession(id)
        await say(page, 'scenario:tool please')
        const card = (title: string) => page.locator('.approval', { hasText: title })
        const tool = card('Allow bash?')
        const choice = card('Which way?')
        await tool.or(choice).first().waitFor()
        if (await tool.count()) await tool.getByRole('button', { name: /^Allow A/ }).click()
        await choice.getByLabel('left').check()
        await choice.getByRole('button', { name: 'Answer' }).click()
        await card('How far?').getByLabel('Answer').fill('two miles')
        await card('How far?').getByRole('button', { name: 'Answer' }).click()
        await card('Sure?').getByRole('button', { name: 'Yes' }).click()
        await page.getByText('left, two miles, true').first().waitFor()
        await stage.clear()
      } finally {
        await server.close()
        await model.close()
        setup.remove()
      }
    })
  })

/** Asks three things before a tool runs, and then says what it heard instead of running it. */
const extension = `export default (pi) => {
  pi.on('tool_call', async (_, ctx) => {
    const way = await ctx.ui.select('Which way?', ['left', 'right'])
    const far = await ctx.ui.input('How far?', 'in miles')
    const isSure = await ctx.ui.confirm('Sure?', 'There is no way back.')
    return { block: true, reason: [way, far, isSure].join(', ') }
  })
}
`

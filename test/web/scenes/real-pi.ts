import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { piSetup } from '../../agents/pi.ts'
import { type Script, scripts } from '../../model/scripts.ts'
import { startModel } from '../../model/server.ts'
import { agentProgram } from '../../support/agent-program.ts'
import { createPages, firstApproval, readToEnd, sendMessage } from '../support/pages.ts'
import { startSluice } from '../support/server.ts'

const overwrite: Script = {
  steps: [
    {
      kind: 'reply',
      blocks: [
        { type: 'tool_use', name: 'write', input: { path: 'long.txt', content: 'one\ntwo\n' } },
      ],
    },
    { kind: 'reply', blocks: [{ type: 'text', deltas: ['Overwritten.'] }] },
  ],
}

/** The real Pi, with a scripted model. */
export const realPi = (browser: Browser): unknown =>
  describe('a real Pi', () => {
    test('is watched, allowed, denied, steered and stopped', async () => {
      const model = await startModel({ ...scripts, overwrite })
      const setup = piSetup('0.87', model.url)
      const server = await startSluice({ env: { ...setup.env, PI_BIN: agentProgram(setup) } })
      const pages = createPages(browser, server)
      try {
        const { id } = await server.createSession('Pi', 'pi', 'fake/fake-sonnet')
        const page = await pages.openSession(id)
        await sendMessage(page, 'scenario:tool please')
        const card = await firstApproval(page)
        await card.getByText('echo hello').waitFor()
        await card.getByRole('button', { name: 'Allow', exact: true }).click()
        await page.getByText('It ran.').waitFor()
        expect(await page.locator('.output pre').innerText()).toBe('hello')
        await server.runsEnded(id)
        await sendMessage(page, 'scenario:tool please, once more')
        const again = await firstApproval(page)
        await again.getByRole('button', { name: /^Deny(?! and)/ }).click()
        await again.getByLabel(/Tell the agent why/).fill('Better not')
        await again.getByRole('button', { name: 'Deny', exact: true }).click()
        await page
          .locator('.tool-failed')
          .getByText(/Better not/)
          .first()
          .waitFor()
        await server.runsEnded(id, 2)
        writeFileSync(join(server.root, 'garden', 'long.txt'), 'old line\n'.repeat(40))
        await sendMessage(page, 'scenario:overwrite please')
        const writing = await firstApproval(page)
        const removed = '.diff-removed .diff-number:first-child'
        await expect.poll(() => writing.locator(removed).count()).toBe(40)
        await readToEnd(writing)
        await writing.getByRole('button', { name: 'Allow', exact: true }).click()
        await page.getByText('Overwritten.').waitFor()
        const numbers = await page.locator('.tool-edit').locator(removed).allInnerTexts()
        expect(numbers).toEqual(Array.from({ length: 40 }, (_, index) => String(index + 1)))
        await server.runsEnded(id, 3)
        await sendMessage(page, 'scenario:error please')
        const error = page.locator('.notice-error')
        await error.getByText('Error 400: The request is not valid', { exact: true }).waitFor()
        expect(await error.getByText('invalid_request_error').count()).toBe(0)
        await error.getByRole('button', { name: 'Details' }).click()
        await error.getByText(/invalid_request_error/).waitFor()
        await page.getByRole('button', { name: 'Retry', exact: true }).click()
        await error.nth(1).waitFor()
        expect(await page.getByText('scenario:error please', { exact: true }).count()).toBe(2)
        await server.runsEnded(id, 4)
        await sendMessage(page, 'scenario:slow please')
        await page.getByText('word9 ').waitFor()
        await sendMessage(page, 'go left', 'Alt+Enter')
        await page.locator('.queue', { hasText: 'go left' }).waitFor()
        await page.getByRole('button', { name: 'Stop' }).click()
        await page.getByText('Stopped.', { exact: true }).waitFor()
        await pages.closeAll()
      } finally {
        await server.close()
        await model.close()
        setup.remove()
      }
    })

    test('calls no model while a budget waits for an answer from the page', async () => {
      const model = await startModel(scripts)
      const setup = piSetup('0.87', model.url)
      const server = await startSluice({ env: { ...setup.env, PI_BIN: agentProgram(setup) } })
      const pages = createPages(browser, server)
      try {
        const { id } = await server.client.sessions.create({
          ...{ projectId: server.project.id, agent: 'pi', model: 'fake/fake-sonnet' },
          budget: { limits: { tokens: 100 } },
        })
        const page = await pages.openSession(id)
        await sendMessage(page, 'scenario:tool please')
        const budget = page.locator('.approval', { hasText: 'Budget reached' })
        await budget.getByLabel('Raise by, in tokens').fill('100k')
        expect(model.requests).toHaveLength(1)
        await budget.getByRole('button', { name: 'Raise by 100k tokens' }).click()
        const tool = page.locator('.approval', { hasText: 'Allow bash?' })
        await tool.getByRole('button', { name: 'Allow', exact: true }).click()
        await page.getByText('It ran.').waitFor()
        expect(model.requests).toHaveLength(2)
        await pages.closeAll()
      } finally {
        await server.close()
        await model.close()
        setup.remove()
      }
    })
  })

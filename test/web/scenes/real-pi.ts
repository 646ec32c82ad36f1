import type { Browser } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { piSetup } from '../../agents/pi.ts'
import { startModel } from '../../model/server.ts'
import { agentProgram } from '../../support/agent-program.ts'
import { createPages, firstApproval, sendMessage } from '../support/pages.ts'
import { startSluice } from '../support/server.ts'

/** The real Pi, with a scripted model. */
export const realPi = (browser: Browser): unknown =>
  describe('a real Pi', () => {
    test('is watched, allowed, denied, steered and stopped', async () => {
      const model = await startModel()
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
        await again.getByRole('button', { name: /^Deny/ }).click()
        await again.getByLabel(/Tell the agent why/).fill('Better not')
        await again.getByRole('button', { name: 'Deny', exact: true }).click()
        await page
          .locator('.tool-failed')
          .getByText(/Better not/)
          .first()
          .waitFor()
        await server.runsEnded(id, 2)
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
  })

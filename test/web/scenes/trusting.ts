import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { piSetup } from '../../agents/pi.ts'
import { startModel } from '../../model/server.ts'
import { agentProgram } from '../../support/agent-program.ts'
import { createPages, sendMessage } from '../support/pages.ts'
import { startSluice } from '../support/server.ts'

/** A project with an extension that writes a file as soon as it is loaded. */
export const trusting = (browser: Browser): unknown =>
  describe('a project with its own extensions', () => {
    test('is asked about before a session, and can be trusted later', async () => {
      const model = await startModel()
      const setup = piSetup('0.73', model.url)
      const server = await startSluice({ env: { ...setup.env, PI_BIN: agentProgram(setup) } })
      const pages = createPages(browser, server)
      const marker = join(server.root, 'marker')
      const extensions = join(server.project.path, '.pi/extensions')
      const write = (name: string) =>
        writeFileSync(
          join(extensions, name),
          `import { writeFileSync } from 'node:fs'
           export default () => writeFileSync(${JSON.stringify(marker)}, '')`,
        )
      mkdirSync(extensions, { recursive: true })
      write('format\u202est.ts')
      try {
        const page = await pages.open()
        await page.getByRole('button', { name: 'New session', exact: true }).click()
        const dialog = page.getByRole('dialog')
        await dialog.getByRole('radio', { name: /^Pi/ }).check()
        await dialog.getByLabel(/^Model/).fill('fake/fake-sonnet')
        await dialog.getByRole('button', { name: 'Create session' }).click()
        await dialog.getByText('.pi/extensions/format').waitFor()
        expect(await dialog.locator('.trust-files').innerText()).toContain('format\\u202est.ts')
        await dialog.getByRole('button', { name: 'Start without them' }).click()

        const banner = page.locator('.trust-banner')
        await banner.getByText('Pi will start without the settings and extensions').waitFor()
        await sendMessage(page, 'scenario:text please')
        await page.getByText('Hello from the model.').waitFor()
        await banner.getByText('Pi runs without the settings and extensions').waitFor()
        await page.getByText(/Left out: \.pi\/extensions/).waitFor()
        expect(existsSync(marker)).toBe(false)

        await banner.getByRole('button', { name: 'Review' }).click()
        await page.getByRole('button', { name: 'Trust this folder' }).click()
        await banner.getByText('Pi loads the files of this folder with your next').waitFor()
        await sendMessage(page, 'scenario:text once more')
        await banner.waitFor({ state: 'detached' })
        await expect.poll(() => existsSync(marker)).toBe(true)
        await pages.closeAll()
      } finally {
        await server.close()
        await model.close()
        setup.remove()
      }
    })

    test('shows its question on a phone without scrolling sideways', async () => {
      const server = await startSluice({ env: { PI_BIN: process.execPath } })
      const pages = createPages(browser, server)
      const folder = join(server.project.path, '.pi/skills')
      mkdirSync(folder, { recursive: true })
      for (let at = 0; at < 250; at += 1)
        writeFileSync(join(folder, `${'a-long-name-'.repeat(8)}${at}.md`), '')
      try {
        const { id } = await server.createSession('Pi', 'pi')
        const page = await pages.openSession(id, { phone: true })
        await page.getByRole('button', { name: 'Review' }).click()
        await page.getByText('and 50 more files').scrollIntoViewIfNeeded()
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
        const trust = page.getByRole('button', { name: 'Trust this folder' })
        expect((await trust.boundingBox())?.y).toBeLessThan(740)
        await pages.closeAll()
      } finally {
        await server.close()
      }
    })
  })

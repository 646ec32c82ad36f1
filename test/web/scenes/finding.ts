import { describe, expect, test } from 'vitest'
import { say } from '../support/stage.ts'
import type { Scene } from './scene.ts'

/** What was said is found again. */
export const finding: Scene = (world) =>
  describe('what was said', () => {
    test('is found in a session, and in all of them', async () => {
      const { stage, server } = world()
      const { id } = await server.begin('Haystack')
      const page = await stage.openSession(id)
      await say(page, 'long, with a needle in it')
      await server.settled(id)
      await page.getByText('That was long.').waitFor()
      await page.keyboard.press('Control+f')
      await page.getByRole('searchbox', { name: 'Search this session' }).fill('needle')
      await page.getByText('1 of 1').waitFor()
      await page.getByText('with a needle in it').waitFor()
      await page.goto(server.url)
      await page.getByRole('searchbox', { name: 'Search all sessions' }).fill('needle in it')
      await page.getByText('1 found').waitFor()
      await page.getByRole('link', { name: /Haystack/ }).click()
      await page.locator('.row-target').getByText('with a needle in it').waitFor()
      expect(page.url()).toMatch(/#m=/)
    })

    test('and done is in the panels, which follow each run', async () => {
      const { stage, server } = world()
      const { id } = await server.begin('Panels')
      const page = await stage.openSession(id)
      const panel = page.getByRole('complementary')
      await page.getByRole('button', { name: 'Changes', exact: true }).click()
      await panel.getByText(/Nothing has changed|nothing to compare/).waitFor()
      await say(page, 'edit')
      await page.getByRole('button', { name: /^Allow A/ }).click()
      await panel.getByText('src/hello.ts').waitFor()
      await panel.getByRole('button', { name: 'Side by side' }).click()
      await panel.locator('.diff-split').waitFor()
      await page.getByRole('button', { name: 'Usage', exact: true }).click()
      await panel
        .getByRole('row', { name: /Output \d+/ })
        .first()
        .waitFor()
      await panel.getByRole('img', { name: 'Cost of 1 runs' }).locator('canvas').waitFor()
      await page.getByRole('button', { name: 'Events', exact: true }).click()
      await panel.getByRole('button', { name: /agent_end/ }).click()
      await panel.getByText('"stopReason"').waitFor()
    })

    test('is plotted, also where the browser’s language is none that it knows', async () => {
      const { stage, server } = world()
      const { id } = await server.begin('Plotted')
      await server.client.sessions.prompt(id, 'think')
      await server.settled(id)
      const context = await stage.newContext()
      // As Chromium calls it on a machine without a language.
      await context.addInitScript(() =>
        Object.defineProperty(Navigator.prototype, 'language', { get: () => 'en-US@posix' }),
      )
      const page = await stage.openSession(id, {}, context)
      await page.getByRole('button', { name: 'Usage', exact: true }).click()
      await page.getByRole('img', { name: 'Cost of 1 runs' }).locator('canvas').waitFor()
    })

    test('first is what a session without a name is called, wherever it is named', async () => {
      const { stage, server } = world()
      const [roses, tulips] = [await server.begin(), await server.begin()]
      const page = await stage.openSession(roses.id)
      const heading = page.getByRole('heading', { level: 1 })
      await heading.getByText('garden', { exact: true }).waitFor()
      await say(page, 'think of roses')
      await heading.getByText('think of roses', { exact: true }).waitFor()
      await expect.poll(() => page.title()).toBe('think of roses · Sluice')
      await server.client.sessions.prompt(tulips.id, 'tool for tulips')
      const sidebar = page.getByRole('navigation', { name: 'Sessions' })
      await sidebar.getByRole('link', { name: /^think of roses/ }).waitFor()
      await sidebar.getByRole('link', { name: /^tool for tulips/ }).waitFor()

      const rename = async (name: string) => {
        await page.getByRole('button', { name: 'More' }).click()
        await page.getByRole('menuitem', { name: /Rename/ }).click()
        const field = page.getByRole('textbox', { name: 'Name of the session' })
        expect(await field.getAttribute('placeholder')).toBe('think of roses')
        const before = await field.inputValue()
        await field.fill(name)
        await page.keyboard.press('Enter')
        return before
      }
      await server.settled(roses.id)
      expect(await rename('Thorns')).toBe('')
      await heading.getByText('Thorns', { exact: true }).waitFor()
      expect(await rename('')).toBe('Thorns')
      await heading.getByText('think of roses', { exact: true }).waitFor()

      await page.goto(server.url)
      const asking = page.locator('.approval', { hasText: 'tool for tulips' })
      await asking.getByRole('button', { name: /^Allow A/ }).click()
      await asking.waitFor({ state: 'detached' })
      await page.getByRole('searchbox', { name: 'Search all sessions' }).fill('of roses')
      const hit = page.getByRole('region', { name: 'Found' }).getByRole('link')
      await hit.locator('.session-name', { hasText: 'think of roses' }).click()
      await page.getByRole('button', { name: 'More' }).click()
      await page.getByRole('menuitem', { name: 'Delete' }).click()
      await page.getByText('“think of roses” was deleted.').waitFor()
      await page.getByRole('link', { name: /^tool for tulips/ }).waitFor()
    })

    test('is renamed, exported, deleted and taken back', async () => {
      const { stage, server } = world()
      const { id } = await server.begin('Old name')
      const page = await stage.openSession(id)
      const choose = async (item: RegExp) => {
        await page.getByRole('button', { name: 'More' }).click()
        await page.getByRole('menuitem', { name: item }).click()
      }
      await choose(/Rename/)
      const field = page.getByRole('textbox', { name: 'Name of the session' })
      const heading = page.getByRole('heading', { level: 1 })
      await field.fill('Not this')
      await page.keyboard.press('Escape')
      expect(await heading.innerText()).not.toBe('Not this')
      await choose(/Rename/)
      await field.fill('Left at once')
      await page.locator('.composer textarea').click()
      await heading.getByText('Left at once', { exact: true }).waitFor()
      await choose(/Rename/)
      await field.fill('New name')
      await page.keyboard.press('Enter')
      await heading.getByText('New name', { exact: true }).waitFor()
      const download = page.waitForEvent('download')
      await choose(/Export as Markdown/)
      expect((await download).suggestedFilename()).toBe('New-name.md')
      await choose(/Delete/)
      await page.getByText('“New name” was deleted.').waitFor()
      await page.getByRole('link', { name: /New name/ }).waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.getByRole('link', { name: /New name/ }).waitFor()
    })
  })

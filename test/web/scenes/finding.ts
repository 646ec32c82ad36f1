import type { Locator } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { approvalOn, say } from '../support/stage.ts'
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
      await page.getByText('1 result').waitFor()
      await page.getByRole('link', { name: /Haystack/ }).click()
      await page.locator('.row-target').getByText('with a needle in it').waitFor()
      expect(page.url()).toMatch(/#m=/)
      await page.goBack()
      await page.getByText('1 result').waitFor()
      const field = page.getByRole('searchbox', { name: 'Search all sessions' })
      expect(await field.inputValue()).toBe('needle in it')
      await field.fill('')
      await page.getByRole('region', { name: 'garden' }).waitFor()
      expect(page.url()).toBe(server.url)
    })

    test('is marked where it stands, also beside letters that grow when they are small', async () => {
      const { stage, server } = world()
      const { id } = await server.begin('Marked')
      const page = await stage.openSession(id)
      await say(page, 'think İİİ of a needle')
      await server.settled(id)
      const marked = () => page.evaluate(() => [...(CSS.highlights.get('found') ?? [])].map(String))
      await page.keyboard.press('Control+f')
      const field = page.getByRole('searchbox', { name: 'Search this session' })
      await field.fill('NEEDLE')
      await expect.poll(marked).toEqual(['needle'])
      await field.fill('İi')
      await expect.poll(marked).toEqual(['İİ'])
    })

    test('is copied without what stands beside it', async () => {
      const { stage, server } = world()
      const { id } = await server.begin('Copied')
      const page = await stage.openSession(id)
      await say(page, 'think of tea')
      await server.settled(id)
      await page.getByText('Done.', { exact: true }).waitFor()
      expect(await page.locator('.message-actions time').count()).toBe(2)
      const copied = await page.locator('.entry-scroll').evaluate((list) => {
        getSelection()?.selectAllChildren(list)
        return String(getSelection())
      })
      expect(copied).toMatch(/think of tea.*Done\./s)
      expect(copied).not.toMatch(/\d:\d\d/)
    })

    test('from right to left begins on the right, with its code in its place', async () => {
      const { stage, server } = world()
      const { id } = await server.begin('Both ways')
      const page = await stage.openSession(id)
      await say(page, 'edit')
      await approvalOn(page)
      // The demo tells again what it was steered with.
      await say(page, 'שלום!\n\n`f()` שלום `g()` עולם\n\n- עולם\n\n  שלום')
      await page.getByRole('button', { name: /^Allow A/ }).click()
      const answer = page.locator('.message-assistant', { hasText: 'You steered me' })
      await server.settled(id)
      const paragraph = answer.locator('.markdown > p', { hasText: 'עולם' })
      const [first, second] = [paragraph.locator('code').first(), paragraph.locator('code').last()]
      expect(await endOf(paragraph)).toBeLessThan((await endOf(first)) + 2)
      expect(await endOf(second)).toBeLessThan(await endOf(first))
      const list = answer.locator('ul')
      expect(await list.evaluate((each) => getComputedStyle(each).direction)).toBe('rtl')
      expect(await endOf(list)).toBeGreaterThan((await endOf(list.locator('li'))) + 10)
      const said = page.locator('.message-said').last()
      expect(await said.evaluate((each) => getComputedStyle(each).direction)).toBe('rtl')
    })

    test('is brought onto the screen, in a long answer and in folded output', async () => {
      const { stage, server } = world()
      const { id } = await server.begin('Tall')
      const page = await stage.openSession(id)
      await say(page, 'long')
      await server.settled(id)
      await say(page, 'parallel')
      await server.settled(id, 2)
      await page.keyboard.press('Control+f')
      const field = page.getByRole('searchbox', { name: 'Search this session' })
      await field.fill('beside the text')
      await expect.poll(() => page.evaluate(isFirstSeen, 'beside the text')).toBe(true)
      // The file that was read is folded until somebody looks for its words.
      await field.fill('export const hello')
      await expect.poll(() => page.evaluate(isFirstSeen, 'export const hello')).toBe(true)
    })

    test('before a compaction can still be linked to', async () => {
      const { stage, server } = world()
      const { id } = await server.begin('Compacted')
      const page = await stage.openSession(id)
      await say(page, 'think about it')
      await server.settled(id)
      const { events } = await server.client.sessions.events(id)
      const [said] = events.flatMap((event) => (event.type === 'message_end' ? [event] : []))
      await server.client.sessions.compact(id)
      await page.getByText('Context compacted').waitFor()
      const link = await stage.open(`sessions/${id}#m=${said?.messageId}`)
      await link.getByRole('button', { name: 'Show it' }).click()
      await link.locator('.row-target').getByText('think about it').waitFor()
    })

    test('and done is in the panels, which follow each run', async () => {
      const { stage, server } = world()
      const { id } = await server.begin('Panels')
      const page = await stage.openSession(id)
      const panel = page.getByRole('complementary')
      await page.getByRole('button', { name: 'Changes', exact: true }).click()
      await panel.getByText(/No files changed|No run yet/).waitFor()
      await say(page, 'edit')
      await page.getByRole('button', { name: /^Allow A/ }).click()
      await panel.getByText('src/hello.ts').waitFor()
      await panel.getByRole('button', { name: 'Side by side' }).click()
      await panel.locator('.diff-split').waitFor()
      await panel.locator('.diff-gap', { hasText: '⋯' }).first().waitFor()
      // A phone has no room for two columns.
      await page.setViewportSize({ width: 360, height: 740 })
      await panel.locator('.diff-split').waitFor({ state: 'detached' })
      await panel.locator('.diff-table').waitFor()
      await page.setViewportSize({ width: 1280, height: 800 })
      await panel.locator('.diff-split').waitFor()
      await page.getByRole('button', { name: 'Usage', exact: true }).click()
      await panel
        .getByRole('row', { name: /Output \d+/ })
        .first()
        .waitFor()
      await panel.getByRole('img', { name: 'Cost per run, 1 in total' }).locator('canvas').waitFor()
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
      await page.getByRole('img', { name: 'Cost per run, 1 in total' }).locator('canvas').waitFor()
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
        const field = page.getByRole('textbox', { name: 'Session name' })
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
      const hit = page.getByRole('region', { name: 'Search results' }).getByRole('link')
      await hit.locator('.session-name', { hasText: 'think of roses' }).click()
      await page.getByRole('button', { name: 'More' }).click()
      await page.getByRole('menuitem', { name: 'Delete' }).click()
      await page.getByText('Deleted “think of roses”.').waitFor()
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
      const field = page.getByRole('textbox', { name: 'Session name' })
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
      await page.getByText('Deleted “New name”.').waitFor()
      await page.getByRole('link', { name: /New name/ }).waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.getByRole('link', { name: /New name/ }).waitFor()
    })
  })

/** How far to the right it reaches. */
const endOf = (part: Locator): Promise<number> =>
  part.evaluate((element) => element.getBoundingClientRect().right)

/** Whether the first place of some words in the row that was found is on the screen. Runs in the page. */
const isFirstSeen = (words: string): boolean => {
  const list = document.querySelector('.entry-scroll')?.getBoundingClientRect()
  const row = document.querySelector('.row-target')
  if (!list || !row) return false
  const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) {
    const at = walker.currentNode.nodeValue?.indexOf(words) ?? -1
    if (at === -1) continue
    const range = new Range()
    range.setStart(walker.currentNode, at)
    range.setEnd(walker.currentNode, at + words.length)
    const { top, bottom } = range.getBoundingClientRect()
    return top >= list.top && bottom <= list.bottom
  }
  return false
}

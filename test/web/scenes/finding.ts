import type { Locator } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { firstApproval, sendMessage } from '../support/pages.ts'
import type { Scene } from './scene.ts'

/** Searching, linking and the panels. */
export const finding: Scene = (setup) =>
  describe('a conversation', () => {
    test('is searched in one session and in all sessions', async () => {
      const { pages, server } = setup()
      const { id } = await server.createSession('Haystack')
      const page = await pages.openSession(id)
      await sendMessage(page, 'long, with a needle in it')
      await server.runsEnded(id)
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

    test('marks matches, also beside letters that grow in lower case', async () => {
      const { pages, server } = setup()
      const { id } = await server.createSession('Marked')
      const page = await pages.openSession(id)
      await sendMessage(page, 'think İİİ of a needle')
      await server.runsEnded(id)
      const marked = () => page.evaluate(() => [...(CSS.highlights.get('found') ?? [])].map(String))
      await page.keyboard.press('Control+f')
      const field = page.getByRole('searchbox', { name: 'Search this session' })
      await field.fill('NEEDLE')
      await expect.poll(marked).toEqual(['needle'])
      await field.fill('İi')
      await expect.poll(marked).toEqual(['İİ'])
    })

    test('is copied without times and buttons', async () => {
      const { pages, server } = setup()
      const { id } = await server.createSession('Copied')
      const page = await pages.openSession(id)
      await sendMessage(page, 'think of tea')
      await server.runsEnded(id)
      await page.getByText('Done.', { exact: true }).waitFor()
      expect(await page.locator('.message-actions time').count()).toBe(2)
      const copied = await page.locator('.entry-scroll').evaluate((list) => {
        getSelection()?.selectAllChildren(list)
        return String(getSelection())
      })
      expect(copied).toMatch(/think of tea.*Done\./s)
      expect(copied).not.toMatch(/\d:\d\d/)
    })

    test('written from right to left starts on the right, with its code in place', async () => {
      const { pages, server } = setup()
      const { id } = await server.createSession('Both ways')
      const page = await pages.openSession(id)
      await sendMessage(page, 'edit')
      await firstApproval(page)
      // The demo agent repeats what it was steered with.
      await sendMessage(page, 'שלום!\n\n`f()` שלום `g()` עולם\n\n- עולם\n\n  שלום')
      await page.getByRole('button', { name: 'Allow', exact: true }).click()
      const answer = page.locator('.message-assistant', { hasText: 'You steered me' })
      await server.runsEnded(id)
      const paragraph = answer.locator('.markdown > p', { hasText: 'עולם' })
      const [first, second] = [paragraph.locator('code').first(), paragraph.locator('code').last()]
      expect(await rightEdge(paragraph)).toBeLessThan((await rightEdge(first)) + 2)
      expect(await rightEdge(second)).toBeLessThan(await rightEdge(first))
      const list = answer.locator('ul')
      expect(await list.evaluate((element) => getComputedStyle(element).direction)).toBe('rtl')
      expect(await rightEdge(list)).toBeGreaterThan((await rightEdge(list.locator('li'))) + 10)
      const sent = page.locator('.message-said').last()
      expect(await sent.evaluate((element) => getComputedStyle(element).direction)).toBe('rtl')
    })

    test('scrolls matches into view, in a long answer and in folded output', async () => {
      const { pages, server } = setup()
      const { id } = await server.createSession('Tall')
      const page = await pages.openSession(id)
      await sendMessage(page, 'long')
      await server.runsEnded(id)
      await sendMessage(page, 'parallel')
      await server.runsEnded(id, 2)
      await page.keyboard.press('Control+f')
      const field = page.getByRole('searchbox', { name: 'Search this session' })
      await field.fill('beside the text')
      await expect.poll(() => page.evaluate(isMatchVisible, 'beside the text')).toBe(true)
      // The output is folded until a search finds a match in it.
      await field.fill('export const hello')
      await expect.poll(() => page.evaluate(isMatchVisible, 'export const hello')).toBe(true)
    })

    test('keeps links to messages from before a compaction', async () => {
      const { pages, server } = setup()
      const { id } = await server.createSession('Compacted')
      const page = await pages.openSession(id)
      await sendMessage(page, 'think about it')
      await server.runsEnded(id)
      const { events } = await server.client.sessions.events(id)
      const [first] = events.flatMap((event) => (event.type === 'message_end' ? [event] : []))
      await server.client.sessions.compact(id)
      await page.getByText('Context compacted').waitFor()
      const link = await pages.open(`sessions/${id}#m=${first?.messageId}`)
      await link.locator('.row-target').getByText('think about it').waitFor()
    })

    test('has panels that are updated after each run', async () => {
      const { pages, server } = setup()
      const { id } = await server.createSession('Panels')
      const page = await pages.openSession(id)
      const panel = page.getByRole('complementary')
      await page.getByRole('button', { name: 'Changes', exact: true }).click()
      await panel.getByText(/No files changed|No run yet/).waitFor()
      await sendMessage(page, 'edit')
      await page.getByRole('button', { name: 'Allow', exact: true }).click()
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

    test('has a usage plot, also with an invalid browser language', async () => {
      const { pages, server } = setup()
      const { id } = await server.createSession('Plotted')
      await server.client.sessions.prompt(id, 'think')
      await server.runsEnded(id)
      const context = await pages.newContext()
      // What Chromium reports on a machine without a locale.
      await context.addInitScript(() =>
        Object.defineProperty(Navigator.prototype, 'language', { get: () => 'en-US@posix' }),
      )
      const page = await pages.openSession(id, {}, context)
      await page.getByRole('button', { name: 'Usage', exact: true }).click()
      await page.getByRole('img', { name: 'Cost per run, 1 in total' }).locator('canvas').waitFor()
    })

    test('without a name is called by its first message everywhere', async () => {
      const { pages, server } = setup()
      const [roses, tulips] = [await server.createSession(), await server.createSession()]
      const page = await pages.openSession(roses.id)
      const heading = page.getByRole('heading', { level: 1 })
      await heading.getByText('garden', { exact: true }).waitFor()
      await sendMessage(page, 'think of roses')
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
      await server.runsEnded(roses.id)
      expect(await rename('Thorns')).toBe('')
      await heading.getByText('Thorns', { exact: true }).waitFor()
      expect(await rename('')).toBe('Thorns')
      await heading.getByText('think of roses', { exact: true }).waitFor()

      await page.goto(server.url)
      const card = page.locator('.approval', { hasText: 'tool for tulips' })
      await card.getByRole('button', { name: 'Allow', exact: true }).click()
      await card.waitFor({ state: 'detached' })
      await page.getByRole('searchbox', { name: 'Search all sessions' }).fill('of roses')
      const hit = page.getByRole('region', { name: 'Search results' }).getByRole('link')
      await hit.locator('.session-name', { hasText: 'think of roses' }).click()
      await page.getByRole('button', { name: 'More' }).click()
      await page.getByRole('menuitem', { name: 'Delete', exact: true }).click()
      await page.getByText('Deleted “think of roses”.').waitFor()
      await page.getByRole('link', { name: /^tool for tulips/ }).waitFor()
    })

    test('is renamed, pinned, exported, deleted and restored', async () => {
      const { pages, server } = setup()
      const { id } = await server.createSession('Old name')
      const page = await pages.openSession(id)
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
      await choose(/^Pin/)
      await page.locator('.session-about').getByText('Pinned').waitFor()
      expect(await server.client.sessions.get(id)).toMatchObject({ pinned: true })
      await choose(/Unpin/)
      await page.locator('.session-about').getByText('Pinned').waitFor({ state: 'detached' })
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

/** The right edge of an element. */
const rightEdge = (target: Locator): Promise<number> =>
  target.evaluate((element) => element.getBoundingClientRect().right)

/** Whether the first match in the target row is visible. Runs in the page. */
const isMatchVisible = (query: string): boolean => {
  const list = document.querySelector('.entry-scroll')?.getBoundingClientRect()
  const row = document.querySelector('.row-target')
  if (!list || !row) return false
  const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) {
    const at = walker.currentNode.nodeValue?.indexOf(query) ?? -1
    if (at === -1) continue
    const range = new Range()
    range.setStart(walker.currentNode, at)
    range.setEnd(walker.currentNode, at + query.length)
    const { top, bottom } = range.getBoundingClientRect()
    return top >= list.top && bottom <= list.bottom
  }
  return false
}

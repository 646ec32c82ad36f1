// Takes the pictures in docs/images: a real server with the demo agent, in a real browser.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { openChromium } from '../test/web/support/chromium.ts'
import { startServer } from '../test/web/support/server.ts'
import { approvalOn, type Look, openStage, say } from '../test/web/support/stage.ts'
import { freshWeb } from './web.ts'

const images = join(import.meta.dirname, '..', 'docs', 'images')
mkdirSync(images, { recursive: true })

await freshWeb()
const server = await startServer({ pace: 20 })
const browser = await openChromium()
const stage = openStage(browser, server)

/** What passes is taken at once; all else when its colours have come. */
const take = async (page: Page, name: string, isPassing = false) => {
  await page.mouse.move(0, 0)
  if (!isPassing) await page.waitForLoadState('networkidle', { timeout: 2000 }).catch(() => {})
  await page.evaluate(shortened(server.projects))
  await page.screenshot({ path: join(images, `${name}.png`) })
  process.stdout.write(`docs/images/${name}.png\n`)
}
/** Nobody need see where the pictures were taken. Runs in the page. */
const shortened = (root: string): string => `
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) {
    const node = walker.currentNode
    if (node.nodeValue.includes(${JSON.stringify(root)}))
      node.nodeValue = node.nodeValue.replaceAll(${JSON.stringify(root)}, '~')
  }
`
const open = (id: string, look: Look = {}) => stage.openSession(id, look)
const press = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name }).first().click()
const choose = async (page: Page, item: RegExp) => {
  await press(page, 'More')
  await page.getByRole('menuitem', { name: item }).click()
}

try {
  const first = await stage.open()
  await first.getByRole('button', { name: 'New session', exact: true }).click()
  await first.getByRole('radio').first().waitFor()
  await take(first, 'new-session')

  const { id: tour } = await server.begin('Sort the tools')
  const page = await open(tour)
  await say(page, 'Show me what you can do')
  await page.getByText('with a nested point').waitFor()
  await take(page, 'streaming', true)
  const card = await approvalOn(page)

  const { id: retried } = await server.begin('Flaky network')
  const dark = await open(retried, { dark: true })
  await say(dark, 'retry')
  await dark.getByText(/Retrying in/).waitFor()
  await take(dark, 'retry-dark', true)

  const { id: busy } = await server.begin('Write the handbook')
  const long = await open(busy, { dark: true })
  await say(long, 'a long answer')
  await long.getByText('with a nested point').first().waitFor()
  await say(long, 'Then run the tests', 'Alt+Enter')
  await say(long, 'Leave out the tables')
  await long.locator('.queue-badge', { hasText: '2' }).waitFor()
  await take(long, 'queue-dark', true)

  const overview = await stage.open()
  await approvalOn(overview)
  await take(overview, 'overview')
  await take(await stage.open('', { dark: true }), 'overview-dark')
  const pocket = await stage.open('', { phone: true })
  await approvalOn(pocket)
  await take(pocket, 'phone-overview')
  const pocketSession = await open(tour, { phone: true })
  await approvalOn(pocketSession)
  await take(pocketSession, 'phone-approval')

  await take(page, 'approval')
  await card.getByRole('button', { name: /^Edit/ }).click()
  await take(page, 'approval-edit')
  await card.getByRole('button', { name: 'Back' }).click()
  await card.getByRole('button', { name: /^Allow A/ }).click()
  const edit = page.locator('.approval', { hasText: 'Allow edit?' })
  await edit.waitFor()
  await take(page, 'approval-diff')
  await edit.getByRole('button', { name: /^Allow A/ }).click()
  await server.settled(tour)
  await page.getByText('Ask for more').waitFor()
  await take(page, 'session')
  await press(page, 'Usage')
  await page.locator('.plot canvas').waitFor()
  await take(page, 'usage')
  await press(page, 'Close panel')
  await choose(page, /Replay session/)
  const slider = page.getByRole('slider')
  await page.getByText(/^\d+ \/ \d+/).waitFor()
  await slider.fill(String(Math.round(Number(await slider.getAttribute('max')) * 0.4)))
  await take(page, 'past')

  await server.client.sessions.abort(busy)
  await server.settled(retried)
  await say(dark, 'fail')
  await server.settled(retried, 2)
  await say(dark, 'error')
  await server.settled(retried, 3)
  await dark.getByText('The run failed').waitFor()
  await take(dark, 'errors-dark')
  await choose(dark, /Compact/)
  await dark.getByText('Compacting context…').waitFor()
  await take(dark, 'compacting-dark', true)
  const done = await open(tour, { phone: true, dark: true })
  await done.getByText('Ask for more').waitFor()
  await take(done, 'phone-session-dark')
  await page.getByRole('button', { name: 'Back to live' }).click()
  await server.kill()
  await page
    .getByText(/Offline/)
    .first()
    .waitFor()
  await take(page, 'offline', true)
} finally {
  await browser.close()
  await server.close()
}

// Takes the screenshots in docs/images: a real server with the demo agent, in a real browser.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { openChromium } from '../test/web/support/chromium.ts'
import {
  createPages,
  firstApproval,
  type PageOptions,
  readToEnd,
  sendMessage,
} from '../test/web/support/pages.ts'
import { startSluice } from '../test/web/support/server.ts'
import { takeScreenshot } from './take-screenshot.ts'
import { freshWeb } from './web.ts'

await freshWeb()
const server = await startSluice({ pace: 20 })
// The file that the demo agent wants to edit, so that its approval is a diff.
mkdirSync(join(server.project.path, 'src'))
writeFileSync(
  join(server.project.path, 'src', 'hello.ts'),
  "export const hello = (name: string): string => {\n  return 'Hello, ' + name\n}\n",
)
const browser = await openChromium()
const pages = createPages(browser, server)

const take = (page: Page, name: string, isShortLived = false) =>
  takeScreenshot(page, server.root, name, isShortLived)
const open = (id: string, look: PageOptions = {}) => pages.openSession(id, look)
const press = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name }).first().click()
const choose = async (page: Page, item: RegExp) => {
  await press(page, 'More')
  await page.getByRole('menuitem', { name: item }).click()
}

try {
  const first = await pages.open()
  await first.getByRole('button', { name: 'New session', exact: true }).click()
  await first.getByRole('radio').first().waitFor()
  await take(first, 'new-session')

  const { id: tour } = await server.createSession('Sort the tools')
  const page = await open(tour)
  await sendMessage(page, 'Show me what you can do')
  await page.getByText('with a nested point').waitFor()
  await take(page, 'streaming', true)
  const card = await firstApproval(page)

  const { id: retried } = await server.createSession('Flaky network')
  const dark = await open(retried, { dark: true })
  await sendMessage(dark, 'retry')
  await dark.getByText(/Retrying in/).waitFor()
  await take(dark, 'retry-dark', true)

  const { id: busy } = await server.createSession('Write the handbook')
  const long = await open(busy, { dark: true })
  await sendMessage(long, 'a long answer')
  await long.getByText('with a nested point').first().waitFor()
  await sendMessage(long, 'Then run the tests', 'Alt+Enter')
  await sendMessage(long, 'Leave out the tables')
  await long.locator('.queue-badge', { hasText: '2' }).waitFor()
  await take(long, 'queue-dark', true)

  const overview = await pages.open()
  await firstApproval(overview)
  await take(overview, 'overview')
  await take(await pages.open('', { dark: true }), 'overview-dark')
  const pocket = await pages.open('', { phone: true })
  await firstApproval(pocket)
  await take(pocket, 'phone-overview')
  const pocketSession = await open(tour, { phone: true })
  await firstApproval(pocketSession)
  await take(pocketSession, 'phone-approval')

  await take(page, 'approval')
  await card.getByRole('button', { name: /^Edit/ }).click()
  await take(page, 'approval-edit')
  await card.getByRole('button', { name: 'Back' }).click()
  await card.getByRole('button', { name: 'Allow', exact: true }).click()
  const edit = page.locator('.approval', { hasText: 'Allow edit?' })
  await readToEnd(edit)
  await take(page, 'approval-diff')
  await edit.getByRole('button', { name: 'Allow', exact: true }).click()
  await server.runsEnded(tour)
  await page.getByText('Ask for more').waitFor()
  await take(page, 'session')
  await press(page, 'Usage')
  await page.locator('.plot canvas').waitFor()
  await take(page, 'usage')
  await server.client.rules.addToProject(server.project.id, {
    effect: 'deny',
    tool: 'bash',
    pattern: 'git push *',
  })
  await server.client.rules.addToSession(tour, {
    effect: 'allow',
    tool: 'bash',
    pattern: 'npm test',
  })
  await press(page, 'Rules')
  await page.getByText('git push *').waitFor()
  await take(page, 'rules')
  await press(page, 'Close panel')
  await choose(page, /Replay session/)
  const slider = page.getByRole('slider')
  await page.getByText(/^\d+ \/ \d+/).waitFor()
  await slider.fill(String(Math.round(Number(await slider.getAttribute('max')) * 0.4)))
  await take(page, 'replay')

  await server.client.sessions.abort(busy)
  await server.runsEnded(retried)
  await sendMessage(dark, 'fail')
  await server.runsEnded(retried, 2)
  await sendMessage(dark, 'error')
  await server.runsEnded(retried, 3)
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

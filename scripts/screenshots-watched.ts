// Takes the screenshots of watched sessions in docs/images: a real server, in a real browser.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openChromium } from '../test/web/support/chromium.ts'
import { createPages } from '../test/web/support/pages.ts'
import { startSluice } from '../test/web/support/server.ts'
import { said, storeWatched, watchedId, writeMarker } from '../test/web/support/stored-watched.ts'
import { takeScreenshot } from './take-screenshot.ts'
import { freshWeb } from './web.ts'

await freshWeb()
const home = mkdtempSync(join(tmpdir(), 'sluice-watched-'))
writeMarker(home, 'flaky', { status: 'waiting', waitingFor: 'permission prompt' })
const presence = { state: 'idle' as const, pid: 1 }
const answer = 'The test waits for a timer instead of the event. I would wait for the event.'
const events = [
  { type: 'agent_start' as const },
  ...said('user', 'Why is the retry test flaky?', 'm1'),
  ...said('assistant', answer, 'm2'),
  { type: 'agent_end' as const, stopReason: 'stop' },
]
const server = await startSluice({
  env: { HOME: home, CLAUDE_CONFIG_DIR: undefined, CLAUDE_BIN: process.execPath },
  before: (data) =>
    storeWatched(
      data,
      join(data, '../projects/garden'),
      { nativeId: 'flaky', title: 'Why is the retry test flaky?', presence, events },
      { nativeId: 'docs', title: 'Write the release notes', events },
    ),
})
const browser = await openChromium()
const pages = createPages(browser, server)
try {
  const overview = await pages.open()
  await overview.getByText('Waits in its terminal', { exact: true }).waitFor()
  await takeScreenshot(overview, server.root, 'watched-list')
  const waiting = await pages.openSession(watchedId('flaky'))
  await waiting.getByText('waits for an answer outside Sluice').waitFor()
  await takeScreenshot(waiting, server.root, 'watched-waiting')
  const phone = await pages.openSession(watchedId('docs'), { phone: true })
  await phone.getByText('has ended. Sluice can resume it').waitFor()
  await takeScreenshot(phone, server.root, 'watched-phone')
} finally {
  await browser.close()
  await server.close()
  rmSync(home, { recursive: true, force: true })
}

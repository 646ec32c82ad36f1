import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { freshWeb } from '../scripts/web.ts'
import { tryChromium } from '../test/web/support/chromium.ts'
import { storeSessions } from '../test/web/support/long-session.ts'
import { createPages, type Pages, sendMessage } from '../test/web/support/pages.ts'
import { type SluiceServer, startSluice } from '../test/web/support/server.ts'
import type { BenchOptions } from './part.ts'
import { atMost, medianAtMost, ms, printTitle, type Row, skipped } from './report.ts'
import { median, ratioOf } from './rounds.ts'

/** How many entries the sessions have into which the same answer streams. */
const sizes = { short: 40, long: 10_000 } as const
type Size = keyof typeof sizes

/** What the page needed while an answer streamed into it. */
interface Streaming {
  /** CPU time in script, in ms. */
  scriptMs: number
  /** The 95th of 100 frames, in ms. */
  frameMs: number
}

/** Streams an answer into a short and a long session, in Chromium, each time in a new page. */
export const runPage = async (options: BenchOptions): Promise<Row[]> => {
  const rounds = options.rounds(5)
  printTitle('page', `an answer of 3,000 words, pages that were just opened; ${rounds} rounds`)
  const { browser, reason } = await tryChromium()
  if (!browser) return [skipped('streaming in the page', reason ?? 'there is no Chromium')]
  await freshWeb()
  const server = await startSluice({
    pace: 6,
    before: (data) =>
      storeSessions(
        data,
        ...Object.entries(sizes).map(([id, entries]) => ({
          ...{ id, entries, cwd: join(data, '..', 'projects', 'garden') },
        })),
      ),
  })
  const pages = createPages(browser, server)
  try {
    const found: Record<Size, Streaming[]> = { short: [], long: [] }
    for (let round = 1; round <= rounds; round += 1)
      for (const size of ['short', 'long'] as const) {
        options.signal.throwIfAborted()
        found[size].push(await streamInto(size, { server, pages, round }))
      }
    return rowsOf(found)
  } finally {
    await server.close()
    await browser.close()
  }
}

const rowsOf = ({ short, long }: Record<Size, Streaming[]>): Row[] => {
  const script = (all: Streaming[]) => all.map(({ scriptMs }) => scriptMs)
  const frame = (all: Streaming[]) => all.map(({ frameMs }) => frameMs)
  const details = `${ms(median(script(long)))} : ${ms(median(script(short)))}`
  const ratio = ratioOf(script(long), script(short))
  return [
    atMost('script time, 10,000 entries : 40 entries', 1.2, ratio, details),
    medianAtMost('p95 of frames, 10,000 entries', 50, 'ms', frame(long), ''),
  ]
}

interface StreamingSetup {
  server: SluiceServer
  pages: Pages
  round: number
}

const streamInto = async (size: Size, setup: StreamingSetup): Promise<Streaming> => {
  const { server, pages, round } = setup
  const page = await pages.openSession(size)
  await page.locator('.row').last().waitFor()
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Performance.enable')
  const scriptMs = async () => {
    const { metrics } = await cdp.send('Performance.getMetrics')
    return 1000 * (metrics.find(({ name }) => name === 'ScriptDuration')?.value ?? 0)
  }
  await page.evaluate(watchFrames)
  const before = await scriptMs()
  await sendMessage(page, 'a long answer')
  await server.runsEnded(size, sizes[size] / 4 + round)
  await page.getByText('That was long.').last().waitFor()
  const after = await scriptMs()
  const frameMs = await p95OfFrames(page)
  await pages.closeAll()
  return { scriptMs: after - before, frameMs }
}

/** Records the time of each frame from now on. A text, because this file is not for browsers. */
const watchFrames = `{
  const times = (window.frameTimes = [])
  const note = (now) => {
    times.push(now)
    requestAnimationFrame(note)
  }
  requestAnimationFrame(note)
}`

const p95OfFrames = async (page: Page): Promise<number> => {
  const times = await page.evaluate<number[]>('window.frameTimes')
  const frames = times.slice(1).map((time, index) => time - (times[index] ?? time))
  frames.sort((left, right) => left - right)
  return frames[Math.floor(frames.length * 0.95)] ?? 0
}

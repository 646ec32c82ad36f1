import { afterAll, expect, test } from 'vitest'
import { delta, open, start } from '../transcript/events.ts'
import { tryChromium } from '../web/support/chromium.ts'
import { openStreams } from './open-streams.ts'

const { browser, reason } = await tryChromium()
if (reason !== undefined) process.stdout.write(`skipped: ${reason}\n`)
afterAll(() => browser?.close())

/** Reads the stream with `fetch` and with `EventSource`, and collects the seqs. */
const script = `
  window.fetched = []
  window.sourced = []
  new EventSource('/s').onmessage = ({ data, lastEventId }) => sourced.push(Number.parseInt(lastEventId))
  void fetch('/s').then(async (response) => {
    window.encoding = response.headers.get('content-encoding')
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      text += value
      const frames = text.split('\\n\\n')
      text = frames.pop()
      for (const frame of frames)
        if (frame.startsWith('id: ')) fetched.push(parseInt(frame.slice(4)))
    }
  })
`

test.skipIf(!browser)(
  'Chromium reads every event of a compressed stream as soon as it is sent',
  async () => {
    const server = await openStreams()
    const write = await server.createSession('s')
    await write(start, open('m'))
    const page = await browser?.newPage()
    if (!page) throw new Error('no page')
    await page.goto(`http://127.0.0.1:${server.port}/nobody`)
    await page.evaluate(script)
    const until = (count: number) =>
      page.waitForFunction(`fetched.length === ${count} && sourced.length === ${count}`)
    await until(1)
    // One event at a time: each must arrive by itself, and not with the next.
    for (let at = 1; at <= 40; at += 1) {
      await write(delta('m', `word ${at} `))
      await until(1 + at)
    }
    const seqs = Array.from({ length: 41 }, (_, at) => at + 2)
    expect(await page.evaluate('fetched')).toEqual(seqs)
    expect(await page.evaluate('sourced')).toEqual(seqs)
    expect(await page.evaluate('encoding')).toBe('gzip')
    expect(server.streams.figures().bytes).toBeLessThan(2 * 41 * 100)
  },
)

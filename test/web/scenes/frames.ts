import { describe, expect, test } from 'vitest'
import { sendMessage } from '../support/pages.ts'
import type { Scene } from './scene.ts'

/** How soon text is rendered: counted in frames, because a busy machine renders fewer of them. */
export const frames: Scene = (setup) =>
  describe('text that has reached the page', () => {
    test('is in the next frame', async () => {
      const { pages, server } = setup()
      const { id } = await server.createSession('Frames')
      const context = await pages.newContext()
      await context.addInitScript(watchText)
      const page = await pages.openSession(id, {}, context)
      await sendMessage(page, 'a long answer')
      await server.runsEnded(id)
      await page.getByText('That was long.').waitFor()
      const { arrivals, late } = await page.evaluate(
        () => window.renderedText ?? { arrivals: 0, late: [] },
      )
      expect(arrivals).toBeGreaterThan(20)
      // One late frame is allowed: a busy machine may render two frames in a row.
      expect(late.length, late.join(' | ')).toBeLessThanOrEqual(1)
    })
  })

declare global {
  interface Window {
    renderedText?: { arrivals: number; late: string[] }
  }
}

/**
 * Listens to the worker before the page does. After each text, it checks the page at the start of
 * the second frame, where the page still shows what the first frame rendered.
 */
const watchText = () => {
  const report = { arrivals: 0, late: [] as string[] }
  window.renderedText = report
  const received = new Map<string, string>()

  /** Only the letters: Markdown renders punctuation and addresses differently. */
  const lettersOf = (text: string): string =>
    text.replace(/\(https:[^)]*\)/g, '').replace(/\P{L}/gu, '')

  const shown = (): string[] =>
    [...document.querySelectorAll('.message-assistant .markdown')].map((each) =>
      lettersOf(each.textContent),
    )

  const check = (letters: string) => {
    if (!shown().some((text) => text.startsWith(letters))) report.late.push(letters.slice(-40))
  }

  const expectSoon = (letters: string) => {
    report.arrivals += 1
    requestAnimationFrame(() => requestAnimationFrame(() => check(letters)))
  }

  const note = ({ data }: MessageEvent) => {
    if (data.type !== 'events') return
    const grown = new Set<string>()
    for (const { messageId, assistantMessageEvent: update } of data.events) {
      if (update?.type !== 'text_delta') continue
      received.set(messageId, (received.get(messageId) ?? '') + update.delta)
      grown.add(messageId)
    }
    for (const messageId of grown) expectSoon(lettersOf(received.get(messageId) ?? ''))
  }

  window.SharedWorker = class extends SharedWorker {
    constructor(url: string | URL, options?: string | WorkerOptions) {
      super(url, options)
      this.port.addEventListener('message', note)
    }
  }
}

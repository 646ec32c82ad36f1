import { describe, expect, test } from 'vitest'
import { say } from '../support/stage.ts'
import type { Scene } from './scene.ts'

/** How soon words are on the screen: counted in frames, since a busy machine draws fewer of them. */
export const frames: Scene = (world) =>
  describe('a word that has reached the page', () => {
    test('is in the next frame that is drawn', async () => {
      const { stage, server } = world()
      const { id } = await server.begin('Frames')
      const context = await stage.newContext()
      await context.addInitScript(watchWords)
      const page = await stage.openSession(id, {}, context)
      await say(page, 'a long answer')
      await server.settled(id)
      await page.getByText('That was long.').waitFor()
      const { arrivals, late } = await page.evaluate(
        () => window.seenWords ?? { arrivals: 0, late: [] },
      )
      expect(arrivals).toBeGreaterThan(20)
      // One may come while a busy machine draws two frames in a row.
      expect(late.length, late.join(' | ')).toBeLessThanOrEqual(1)
    })
  })

declare global {
  interface Window {
    seenWords?: { arrivals: number; late: string[] }
  }
}

/**
 * Listens to the worker before the page does. Each time words come, it looks at the beginning of
 * the second frame from then: there the page is still as the first one was drawn.
 */
const watchWords = () => {
  const seen = { arrivals: 0, late: [] as string[] }
  window.seenWords = seen
  const said = new Map<string, string>()

  /** The letters alone: signs and addresses are what Markdown makes something of. */
  const lettersOf = (text: string): string =>
    text.replace(/\(https:[^)]*\)/g, '').replace(/\P{L}/gu, '')

  const shown = (): string[] =>
    [...document.querySelectorAll('.message-assistant .markdown')].map((each) =>
      lettersOf(each.textContent),
    )

  const look = (words: string) => {
    if (!shown().some((text) => text.startsWith(words))) seen.late.push(words.slice(-40))
  }

  const expectSoon = (words: string) => {
    seen.arrivals += 1
    requestAnimationFrame(() => requestAnimationFrame(() => look(words)))
  }

  const note = ({ data }: MessageEvent) => {
    if (data.type !== 'events') return
    const grown = new Set<string>()
    for (const { messageId, assistantMessageEvent: update } of data.events) {
      if (update?.type !== 'text_delta') continue
      said.set(messageId, (said.get(messageId) ?? '') + update.delta)
      grown.add(messageId)
    }
    for (const messageId of grown) expectSoon(lettersOf(said.get(messageId) ?? ''))
  }

  window.SharedWorker = class extends SharedWorker {
    constructor(url: string | URL, options?: string | WorkerOptions) {
      super(url, options)
      this.port.addEventListener('message', note)
    }
  }
}

import type { Browser, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { loadAgent } from '../../../src/agents/known-agents.ts'
import { createStream } from '../../../src/agents/stream.ts'
import { type AgentEvent, createStamp } from '../../../src/events/index.ts'
import { openSqliteLog } from '../../../src/log/sqlite/sqlite-log.ts'
import { message, nested, outsideNames, pathologicalTexts, toolCall } from '../support/hostile.ts'
import { createPages, firstApproval, sendMessage } from '../support/pages.ts'
import { startSluice } from '../support/server.ts'

/** What an agent sends to make a page blank or stall. */
export const hostile = (browser: Browser): unknown =>
  describe('a hostile agent', () => {
    test('blanks no page, whatever its names, texts and arguments are', async () => {
      const server = await startSluice({ before: fill })
      const pages = createPages(browser, server)
      try {
        const context = await pages.newContext()
        for (const id of sessionIds) {
          const page = await pages.openSession(id, {}, context)
          await page.getByText('The end.', { exact: true }).waitFor()
          await page.close()
        }
        const page = await pages.openSession('names', {}, context)
        for (const name of outsideNames) {
          await page.getByRole('log').evaluate((list) => list.scrollTo(0, 0))
          await page.locator('.tool-name', { hasText: name }).first().waitFor()
        }
        await page.getByRole('button', { name: 'Usage', exact: true }).click()
        await page.getByRole('complementary', { name: 'Usage' }).waitFor()
        await page.close()
        await showsBrokenEntry(await pages.openSession('broken', {}, context))
        await pages.closeAll()
      } finally {
        await server.close()
      }
    })

    test('cannot get a request allowed whose card cannot be drawn', async () => {
      const server = await startSluice()
      const pages = createPages(browser, server)
      try {
        const context = await pages.newContext()
        // The card watches whether it was seen. Nothing else on the page needs this.
        await context.addInitScript(() => {
          window.IntersectionObserver = class {
            constructor() {
              throw new Error('broken on purpose')
            }
          } as never
        })
        const { id } = await server.createSession('Undrawable')
        const page = await pages.openSession(id, {}, context)
        await sendMessage(page, 'approve something')
        const card = await firstApproval(page)
        await card.getByText('This request cannot be shown').waitFor()
        expect(await card.getByRole('button').allInnerTexts()).toEqual(['Deny'])
        expect(await card.locator('pre').innerText()).toContain('"toolName"')
        await card.getByRole('button', { name: 'Deny' }).click()
        await server.runsEnded(id)
        await page.getByText('The request could not be shown.').first().waitFor()
        await pages.closeAll()
      } finally {
        await server.close()
      }
    })
  })

const showsBrokenEntry = async (page: Page): Promise<void> => {
  await page.getByText('The end.', { exact: true }).waitFor()
  const broken = page.getByRole('alert').filter({ hasText: 'This entry cannot be shown.' })
  await broken.getByRole('button', { name: 'Show as text' }).click()
  await broken.getByText('"a text"').waitFor()
}

const end = message('The end.', 'end')
const sessionIds = ['names', 'texts', 'arguments', 'broken']

/** Writes the sessions into a data directory, as a server would. */
const fill = async (data: string): Promise<void> => {
  const log = await openSqliteLog(data)
  const store = async (id: string, events: readonly AgentEvent[]) => {
    const now = Date.now()
    const times = { createdAt: now, updatedAt: now }
    await log.sessions.create({
      id,
      agent: 'claude',
      cwd: data,
      name: '__proto__',
      state: 'idle',
      ...times,
    })
    await log.append(id, events.map(createStamp(id, () => now)))
  }
  const names = outsideNames.flatMap((name) => toolCall(name))
  await store('names', await decoded([...names, end]))
  const texts = pathologicalTexts(20_000).map((text, index) => message(text, `m${index}`))
  await store('texts', await decoded([...texts, end]))
  const deep = outsideNames.flatMap((name) => toolCall(name, { args: nested(900) }))
  await store('arguments', await decoded([...deep, end]))
  // No decoder emits this. It stands for an entry that a view cannot draw.
  const broken = { type: 'error', code: 'agent_exit', message: { not: 'a text' }, fatal: false }
  await store('broken', [broken as never, ...(await decoded([end]))])
  await log.close()
}

const decoded = async (lines: readonly unknown[]): Promise<AgentEvent[]> => {
  const stream = createStream(await loadAgent('claude'))
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  return [...stream.push(new TextEncoder().encode(text)), ...stream.end()]
}

import type { Browser } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { type AgentEvent, createStamp } from '../../../src/events/index.ts'
import { openSqliteLog } from '../../../src/log/sqlite/sqlite-log.ts'
import { createPages } from '../support/pages.ts'
import { startSluice } from '../support/server.ts'

const entries = 10_000
const id = 'long'

export const longSession = (browser: Browser): unknown =>
  describe('a session of 10,000 entries', () => {
    test('opens at its end and scrolls smoothly', async () => {
      const server = await startSluice({ before: fill })
      const pages = createPages(browser, server)
      try {
        const page = await pages.openSession(id)
        await page.getByText(`Answer ${entries / 4} `).waitFor()
        const list = page.locator('.entry-scroll')
        const fromEnd = () =>
          list.evaluate((box) => box.scrollHeight - box.clientHeight - box.scrollTop)
        await expect.poll(fromEnd).toBeLessThan(2)
        expect(await page.getByRole('button', { name: 'Jump to latest' }).count()).toBe(0)
        expect(await page.locator('.row').count()).toBeLessThan(200)
        await page.evaluate(watchTasks)
        const box = await list.boundingBox()
        await page.mouse.move((box?.x ?? 0) + 200, (box?.y ?? 0) + 200)
        for (let step = 0; step < 60; step += 1) await page.mouse.wheel(0, -1500)
        await list.evaluate((element) => element.scrollTo(0, element.scrollHeight / 2))
        for (let step = 0; step < 60; step += 1) await page.mouse.wheel(0, 900)
        const top = page.getByText('Question 1 of many', { exact: true })
        // Some wheel events may still be pending.
        const isTop = () =>
          list.evaluate((element) => element.scrollTo(0, 0)).then(() => top.count())
        await expect.poll(isTop).toBe(1)
        const tasks = await page.evaluate(() => window.longTasks ?? [])
        expect(Math.max(0, ...tasks)).toBeLessThan(200)
        await page.getByRole('button', { name: 'Jump to latest' }).click()
        await page.getByText(`Answer ${entries / 4} `).waitFor()
        await pages.closeAll()
      } finally {
        await server.close()
      }
    })
  })

declare global {
  interface Window {
    longTasks?: number[]
  }
}

/** Records the duration of each long task of the page from now on. */
const watchTasks = () => {
  window.longTasks = []
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.longTasks?.push(duration)
  })
  observer.observe({ type: 'longtask' })
}

/** Writes the session into a data directory, as a server would. */
const fill = async (data: string): Promise<void> => {
  const log = await openSqliteLog(data)
  const now = Date.now()
  await log.sessions.create({
    id,
    agent: 'demo',
    cwd: data,
    name: 'Long',
    state: 'idle',
    createdAt: now,
    updatedAt: now,
  })
  const stamp = createStamp(id, () => now)
  const events = [...turns()].map(stamp)
  for (let from = 0; from < events.length; from += 2000)
    await log.append(id, events.slice(from, from + 2000))
  await log.close()
}

/** Many turns, each with a question, an answer, a tool call and another answer. */
function* turns(): Generator<AgentEvent> {
  yield { type: 'session_start', agent: 'demo' }
  for (let turn = 1; turn <= entries / 4; turn += 1) {
    const call = { toolCallId: `t${turn}`, toolName: 'bash' }
    yield { type: 'agent_start' }
    yield* message(`q${turn}`, 'user', `Question ${turn} of many`)
    yield* message(`a${turn}`, 'assistant', `Working on **${turn}**.\n\n- one\n- two`)
    yield { type: 'tool_call', ...call, input: { command: `echo ${turn}` } }
    yield { type: 'tool_execution_start', ...call, args: { command: `echo ${turn}` } }
    yield { type: 'tool_execution_end', ...call, exitCode: 0, isError: false }
    const content = [{ type: 'text' as const, text: `${turn}\n`.repeat(6) }]
    yield { type: 'tool_result', message: { role: 'toolResult', ...call, content, isError: false } }
    yield* message(
      `b${turn}`,
      'assistant',
      `Answer ${turn} with \`code\`:\n\n\`\`\`ts\nconst n = ${turn}\n\`\`\``,
    )
    yield { type: 'agent_end', stopReason: 'stop' }
  }
}

function* message(
  messageId: string,
  role: 'user' | 'assistant',
  text: string,
): Generator<AgentEvent> {
  yield { type: 'message_start', messageId, messageRole: role }
  if (role === 'assistant')
    yield {
      type: 'message_update',
      messageId,
      assistantMessageEvent: { type: 'done', reason: 'stop' },
    }
  yield { type: 'message_end', messageId, message: { role, content: [{ type: 'text', text }] } }
}

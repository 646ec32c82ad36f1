// Takes the screenshots of docs/web-money.md: a real server with the demo agent, in a real browser.
import { openChromium } from '../test/web/support/chromium.ts'
import { createPages, firstApproval } from '../test/web/support/pages.ts'
import { startSluice } from '../test/web/support/server.ts'
import { storeUses } from '../test/web/support/stored-money.ts'
import { takeScreenshot } from './take-screenshot.ts'
import { freshWeb } from './web.ts'

await freshWeb()
const models = ['claude-opus-5-5', 'claude-haiku-4-5', 'gpt-5.1-codex'] as const
const server = await startSluice({
  pace: 20,
  before: (data) =>
    storeUses(
      data,
      ...Array.from({ length: 24 }, (_, at) => ({
        id: `Task ${at + 1}`,
        model: models[at % models.length] ?? models[0],
        costUsd: 0.4 + ((at * 7) % 11) / 3,
        tokens: 200_000 + ((at * 13) % 9) * 90_000,
        hoursAgo: at * 9,
      })),
      { id: 'Local', model: 'local/qwen3-coder', tokens: 900_000, hoursAgo: 30 },
    ),
})
const browser = await openChromium()
const pages = createPages(browser, server)
const { client, project, root } = server

try {
  const cost = await pages.open('cost')
  await cost.getByRole('region', { name: 'By day' }).waitFor()
  await takeScreenshot(cost, root, 'cost')

  const loop = { projectId: project.id, agent: 'demo' }
  await client.loops.create({
    ...loop,
    name: 'Make the tests pass',
    prompt: 'parallel',
    limits: { maxStale: 20, maxIterations: 20, maxDurationMs: 4 * 3_600_000, maxCostUsd: 10 },
  })
  await client.loops.create({
    ...loop,
    name: 'Update the dependencies',
    prompt: 'think',
    schedule: { cron: '0 3 * * *' },
  })
  const overview = await pages.open()
  await overview.getByText('Iteration 4 runs').waitFor()
  await takeScreenshot(overview, root, 'loops')

  const { id } = await client.sessions.create({
    ...loop,
    name: 'Sort the tools',
    budget: { limits: { tokens: 3000 } },
  })
  const page = await pages.openSession(id)
  await client.sessions.prompt(id, 'a long answer')
  await firstApproval(page)
  await takeScreenshot(page, root, 'budget')
} finally {
  await browser.close()
  await server.close()
}

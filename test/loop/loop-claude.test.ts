import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { claudeSetup, installedClaudes } from '../agents/claude.ts'
import { startModel } from '../model/server.ts'
import { agentProgram } from '../support/agent-program.ts'
import { openLiveLoops } from '../support/live-loops.ts'

const installed = installedClaudes()
if (installed.length === 0) console.log('skipped: CLAUDE_BINS names no Claude Code')

describe.each(installed)('a loop with Claude Code $version', ({ bin }) => {
  let model: Awaited<ReturnType<typeof startModel>>
  beforeEach(async () => {
    model = await startModel()
  })
  afterEach(() => model.close())

  test('completes on the third iteration, with the costs that Claude Code reports', async () => {
    const { setup } = claudeSetup(model.url, bin)
    if (!setup) throw new Error('Claude Code is gone')
    const program = agentProgram(setup)
    const { run } = await openLiveLoops({
      ...{ agent: 'claude', cwd: setup.cwd, model: 'claude-sonnet-4-5' },
      sessions: { env: setup.env, findProgram: () => program },
    })
    const loop = await run({ prompt: 'scenario:loop please' })
    setup.remove()
    expect(loop).toMatchObject({
      end: { reason: 'promise' },
      iterations: [{ outcome: 'completed' }, { outcome: 'completed' }, { outcome: 'promise' }],
      usage: { provenance: { cost: 'reported' } },
    })
    expect(loop.usage.costUsd).toBeGreaterThan(0)
  })
})

// An empty `describe.each` would leave a file without a test.
test.skipIf(installed.length > 0)('needs Claude Code', () => {
  expect(installed).toEqual([])
})

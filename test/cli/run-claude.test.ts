import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { priceListName } from '../../src/prices/price-list-version.ts'
import { claudeSetup } from '../agents/claude.ts'
import type { AgentSetup } from '../agents/sandbox.ts'
import { startModel } from '../model/server.ts'
import { eventsIn, ofType, textOf } from '../support/decoded.ts'
import { type SluiceOptions, sluice } from '../support/sluice.ts'

const { setup: available, ...absent } = claudeSetup('http://127.0.0.1')
available?.remove()
if ('reason' in absent) console.log(`skipped: Claude Code: ${absent.reason}`)

/** The real Claude Code before a scripted model, where there is one. */
describe.skipIf(!available)('sluice run claude', () => {
  let model: Awaited<ReturnType<typeof startModel>>
  let setup: AgentSetup

  beforeEach(async () => {
    model = await startModel()
    const found = claudeSetup(model.url).setup
    if (!found) throw new Error('CLAUDE_BIN went away')
    setup = found
    setup.env.CLAUDE_BIN = process.env.CLAUDE_BIN ?? ''
  })
  afterEach(async () => {
    setup.remove()
    await model.close()
  })

  const runClaude = async (scenario: string, options: SluiceOptions = {}) => {
    const prompt = `scenario:${scenario} please`
    const args = ['run', 'claude', prompt, '--out', 'events', '--model', 'claude-sonnet-4-5']
    const extra = ['--cwd', setup.cwd, '--', '--allowedTools=Bash,Read']
    const ran = await sluice([...args, ...extra], { env: setup.env, ...options })
    return { ...ran, events: eventsIn(ran.stdout) }
  }

  test('text, emitted once, with its cost', async () => {
    const { code, events } = await runClaude('text')
    expect(code).toBe(0)
    expect(textOf(events)).not.toBe('')
    expect(events.at(-1)).toMatchObject({ type: 'agent_end', stopReason: 'stop' })
    expect(ofType(events, 'usage_update').at(-1)?.totals.costUsd).toBeGreaterThan(0)
  })

  test('the cost that is computed during the run is the one that is reported at its end', async () => {
    const { events } = await runClaude('tool')
    const costs = ofType(events, 'usage_update').map(({ totals, priceList }) => ({
      usd: totals.costUsd ?? 0,
      provenance: totals.provenance.cost,
      priceList,
    }))
    expect(costs.at(-1)).toMatchObject({ provenance: 'reported', priceList: undefined })
    const computed = costs.filter(({ provenance }) => provenance === 'computed')
    expect(computed.length).toBeGreaterThan(1)
    expect(computed.at(-1)?.priceList).toBe(priceListName)
    expect(computed.at(-1)?.usd).toBeCloseTo(costs.at(-1)?.usd ?? 0, 9)
  })

  test('thinking', async () => {
    const { events } = await runClaude('thinking')
    const thought = ofType(events, 'message_update').filter(
      (event) => event.assistantMessageEvent.type === 'thinking_delta',
    )
    expect(thought.length).toBeGreaterThan(0)
  })

  test('a tool and its result', async () => {
    const { code, events } = await runClaude('tool')
    expect(code).toBe(0)
    expect(ofType(events, 'tool_call')[0]).toMatchObject({ toolName: 'Bash' })
    expect(ofType(events, 'tool_result')[0]?.message).toMatchObject({ isError: false })
    expect(ofType(events, 'turn_end')).toHaveLength(2)
  })

  test('three tools at once, kept apart', async () => {
    const { events } = await runClaude('parallel')
    const ends = ofType(events, 'tool_execution_end').map((event) => event.toolCallId)
    const calls = ofType(events, 'tool_call').map((event) => event.toolCallId)
    expect(calls).toHaveLength(3)
    expect(ends.toSorted()).toEqual(calls.toSorted())
  })

  test('a tool that fails', async () => {
    const { events } = await runClaude('tool-fail')
    // Versions since 2.0 tell the exit code as well.
    expect(ofType(events, 'tool_execution_end')[0]).toMatchObject({ isError: true })
  })

  test('a broken stream is retried, and its text is not emitted twice', async () => {
    const { code, events } = await runClaude('drop')
    expect(code).toBe(0)
    expect(ofType(events, 'agent_end')).toHaveLength(1)
    expect(ofType(events, 'message_withdrawn').length).toBeLessThanOrEqual(1)
  })

  test('an error of the model makes the exit code 1', async () => {
    const { code, events } = await runClaude('error')
    expect(code).toBe(1)
    const ended = ofType(events, 'agent_end')
    expect(ended).toHaveLength(1)
    expect(ended[0]).toMatchObject({ stopReason: 'error' })
  })

  test('Ctrl-C stops the agent, and the run is closed', async () => {
    let stopped = false
    const { code, events } = await runClaude('slow', {
      onStdout(child, stdout) {
        if (stopped || !stdout.includes('"text_delta"')) return
        stopped = true
        child.kill('SIGINT')
      },
    })
    expect(code).toBe(130)
    expect(ofType(events, 'agent_end')).toHaveLength(1)
  })
})

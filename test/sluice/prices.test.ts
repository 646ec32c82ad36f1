import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { EventOf, StampedEvent } from '../../src/events/types.ts'
import { openSluice } from '../../src/sluice/sluice.ts'
import { createSandbox } from '../agents/sandbox.ts'
import { temporaryDirectory } from '../log/samples.ts'
import { agentProgram } from '../support/agent-program.ts'
import { ofType } from '../support/decoded.ts'

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))

/** A Claude Code that replays a recorded dialog. */
const replayedClaude = (name: string) => {
  const { cwd, env, remove } = createSandbox('recorded-agent')
  onTestFinished(remove)
  vi.stubEnv('RECORDED_DIALOG', path(`../../recordings/claude/${name}`))
  vi.stubEnv('DIALOG_REPORT', join(cwd, 'report.json'))
  const argv = [process.execPath, path('../support/recorded-agent.js')]
  return { cwd, program: agentProgram({ argv, env, cwd, remove }) }
}

const setPrice = (data: string, input: number) =>
  writeFileSync(
    join(data, 'prices.json'),
    JSON.stringify({ models: { 'claude-opus-5-5': { input, output: 20 } } }),
  )

const openWith = async (data: string, program: string) => {
  const events: StampedEvent[] = []
  const sluice = await openSluice({
    ...{ data, sandbox: 'off', policy: 'allow' },
    findProgram: () => program,
    onEvent: (event) => events.push(event),
  })
  return { sluice, events }
}

test('a session counts computed costs until the agent reports the cost', async () => {
  const data = join(realpathSync(temporaryDirectory('prices')), 'data')
  mkdirSync(data)
  setPrice(data, 4)
  const { cwd, program } = replayedClaude('2.1.325/bi-allow')
  const { sluice, events } = await openWith(data, program)
  onTestFinished(() => sluice.close())
  const { session, record } = await sluice.sessions.create({ agent: 'claude', cwd })
  await session.prompt('scenario:denied go')
  await session.idle()

  const updates = ofType(events, 'usage_update')
  // Without partial messages, Claude Code reports a lower bound of the output until its result.
  expect(updates[0]).toMatchObject({
    priceList: 'own prices',
    totals: { costUsd: expect.any(Number), provenance: { cost: 'estimated' } },
  })
  expect(costOf(updates.at(-1))).toEqual([0.0185416, 'reported', undefined])
  const [call] = ofType(events, 'message_end').filter(({ message }) => message.usage)
  expect(call?.message.usage?.cost).toMatchObject({ priceList: 'own prices' })
  const before = await sluice.log.ledger.list(record.id)
  expect(before.some(({ priceList }) => priceList === 'own prices')).toBe(true)
})

const costOf = (update: EventOf<'usage_update'> | undefined) => [
  update?.totals.costUsd,
  update?.totals.provenance.cost,
  update?.priceList,
]

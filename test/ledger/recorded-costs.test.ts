import { describe, expect, test } from 'vitest'
import { createLedger } from '../../src/ledger/index.ts'
import { fieldsOf, numberOf } from '../../src/shared/fields.ts'
import { decodeChunks, type Recording, recordings } from '../support/recordings.ts'

/** What an agent reported in a stream, read from its lines without our decoders. */
interface Reported {
  usd: number
  byModel: Record<string, number>
  durationMs: number
}

const linesOf = (bytes: Buffer): unknown[] =>
  bytes
    .toString()
    .split('\n')
    .flatMap((line) => {
      try {
        return [JSON.parse(line)]
      } catch {
        return []
      }
    })

/**
 * Claude Code reports totals of its process: at the end of a run in its stream, and as a `cost-state` in a session
 * file. A total that shrinks starts again, as after `/clear`.
 */
const reportedByClaude = (bytes: Buffer): Reported => {
  const sum: Reported = { usd: 0, byModel: {}, durationMs: 0 }
  let last = 0
  let lastOf: Record<string, number> = {}
  for (const line of linesOf(bytes).flatMap((each) => (Array.isArray(each) ? each : [each]))) {
    const result = fieldsOf(line)
    if (result.type !== 'result' && result.type !== 'cost-state') continue
    const usd = numberOf(result.total_cost_usd ?? result.totalCostUSD) ?? 0
    if (usd < last) {
      last = 0
      lastOf = {}
    }
    sum.usd += usd - last
    last = usd
    sum.durationMs += numberOf(result.duration_ms) ?? 0
    for (const [model, usage] of Object.entries(fieldsOf(result.modelUsage))) {
      const cost = numberOf(fieldsOf(usage).costUSD) ?? 0
      // A name with a date is the same model.
      const name = model.replace(/-\d{8}$/, '')
      sum.byModel[name] = (sum.byModel[name] ?? 0) + cost - (lastOf[model] ?? 0)
      lastOf[model] = cost
    }
  }
  return sum
}

/** Pi reports the cost of each message so far, its last one at its end, and that of compactions. */
const reportedByPi = (bytes: Buffer): Reported => {
  const sum: Reported = { usd: 0, byModel: {}, durationMs: 0 }
  let open = 0
  let model = ''
  const add = (usd: number) => {
    sum.usd += usd
    sum.byModel[model] = (sum.byModel[model] ?? 0) + usd
  }
  for (const line of linesOf(bytes)) {
    const { type, message, result, usage: soFar } = fieldsOf(line)
    const { role, usage, model: own } = fieldsOf(message)
    if (type === 'compaction_end') add(costIn(fieldsOf(result).usage))
    if (type === 'compaction') add(costIn(soFar))
    if (type === 'message_update') open = costIn(soFar ?? usage)
    if (role !== 'assistant') continue
    if (typeof own === 'string') model = own
    // A session file has one line for each message.
    if (type !== 'message_end' && type !== 'message') continue
    add(costIn(usage))
    open = 0
  }
  // The process ended in the middle of this message.
  add(open)
  return sum
}

const costIn = (usage: unknown): number => numberOf(fieldsOf(fieldsOf(usage).cost).total) ?? 0

/** OpenCode reports the cost of each step, once in `run` and as a part of a message in `serve`. */
const reportedByOpenCode = (bytes: Buffer): Reported => {
  const steps = new Map<unknown, number>()
  for (const line of linesOf(bytes)) {
    const { part, properties, data } = fieldsOf(line)
    const { id, type, cost } = fieldsOf(part ?? fieldsOf(properties ?? data).part)
    if (type === 'step-finish') steps.set(id, numberOf(cost) ?? 0)
  }
  const usd = [...steps.values()].reduce((sum, cost) => sum + cost, 0)
  return { usd, byModel: { any: usd }, durationMs: 0 }
}

/** ACP reports the cost of the session so far, also of one that was loaded, and of no model. */
const reportedByAcp = (bytes: Buffer): Reported => {
  let usd = 0
  for (const line of linesOf(bytes)) {
    const { amount } = fieldsOf(fieldsOf(fieldsOf(fieldsOf(line).params).update).cost)
    usd = numberOf(amount) ?? usd
  }
  return { usd, byModel: {}, durationMs: 0 }
}

const reportedBy: Readonly<Record<string, (bytes: Buffer) => Reported>> = {
  pi: reportedByPi,
  claude: reportedByClaude,
  opencode: reportedByOpenCode,
  acp: reportedByAcp,
}

/** The other agents report no money. */
const reportedIn = ({ agent, bytes }: Recording): Reported =>
  reportedBy[agent]?.(bytes()) ?? { usd: 0, byModel: {}, durationMs: 0 }

const resumed: ReadonlySet<string> = new Set([
  'claude/2.1.325/bi-resume',
  'claude/2.1.325/compact-3',
  'claude/2.1.325/resume-2',
  'claude-session-file/2.1.325/fork-stream',
])

describe('the cost of a recording is what its agent reported', () => {
  test.each(recordings.map((each) => [each.name, each] as const))('%s', (name, recording) => {
    const { agent, bytes } = recording
    const ledger = createLedger()
    for (const event of decodeChunks(agent, [bytes()])) ledger.add(event)
    const reported = reportedIn(recording)
    const { costUsd, durationMs } = ledger.totals()
    expect(costUsd ?? 0).toBeCloseTo(reported.usd, 12)
    if (agent === 'claude') expect(durationMs ?? 0).toBe(reported.durationMs)
    // In a resumed conversation the total includes earlier processes, and the models do not.
    if (resumed.has(name)) return
    const models = Object.values(ledger.byModel())
    const sum = models.reduce((usd, totals) => usd + (totals.costUsd ?? 0), 0)
    expect(sum).toBeCloseTo(agent === 'acp' ? 0 : reported.usd, 12)
    const amounts = (values: readonly number[]) =>
      values
        .filter((usd) => usd > 0)
        .map((usd) => usd.toFixed(9))
        .sort()
    expect(amounts(models.map((totals) => totals.costUsd ?? 0))).toEqual(
      amounts(Object.values(reported.byModel)),
    )
  })
})

test.each([
  ['claude', 50],
  ['pi', 50],
  ['opencode', 20],
  ['acp', 20],
])('the recordings of %s have costs to compare', (agent, count) => {
  const own = recordings.filter((each) => each.agent === agent)
  expect(own.filter((each) => reportedIn(each).usd > 0).length).toBeGreaterThan(count)
})

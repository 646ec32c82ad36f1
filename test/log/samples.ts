import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { StampedEvent, Totals } from '../../src/events/types.ts'
import { addTotals, emptyTotals } from '../../src/events/usage-sums.ts'
import type {
  ApprovalRecord,
  CommandRecord,
  KeyRecord,
  LedgerRow,
  Log,
  LoopRecord,
  NewAuditEntry,
  ProjectRecord,
  SessionRecord,
} from '../../src/log/index.ts'

/** The record of a new session. */
export const session = (id: string, more: Partial<SessionRecord> = {}): SessionRecord => ({
  id,
  agent: 'pi',
  cwd: '/project',
  state: 'idle',
  createdAt: 1000,
  updatedAt: 1000,
  ...more,
})

/** The record of a new loop. */
export const loop = (id: string, more: Partial<LoopRecord> = {}): LoopRecord => ({
  id,
  agent: 'pi',
  cwd: '/project',
  prompt: 'Do the next thing.',
  promise: 'LOOP_COMPLETE',
  limits: { maxIterations: 100 },
  state: 'running',
  runner: 'server',
  createdAt: 1000,
  updatedAt: 1000,
  iterationCount: 0,
  durationMs: 0,
  usage: emptyTotals(),
  failures: 0,
  stale: 0,
  iterations: [],
  ...more,
})

/** An event with this text. */
export const textEvent = (sessionId: string, seq: number, delta: string): StampedEvent => ({
  type: 'message_update',
  messageId: 'm1',
  assistantMessageEvent: { type: 'text_delta', contentIndex: 0, delta },
  sessionId,
  seq,
  timestamp: 1000 + seq,
})

/** An event with the usage of a session so far, by model. The cost of each is `costUsd`. */
export const usageEvent = (
  sessionId: string,
  seq: number,
  timestamp: number,
  byModel: Record<string, Partial<Totals>>,
  totals: Partial<Totals> = {},
): StampedEvent => {
  const models = Object.entries(byModel).map(([model, each]): [string, Totals] => {
    const cost = each.costUsd === undefined ? null : 'reported'
    return [model, { ...emptyTotals(), provenance: { tokens: 'reported', cost }, ...each }]
  })
  const sum = models.reduce((all, [, each]) => addTotals(all, each), emptyTotals())
  return {
    ...{ type: 'usage_update', sessionId, seq, timestamp, context: null },
    totals: { ...sum, ...totals },
    byModel: Object.fromEntries(models),
  }
}

/** `count` events, the first with the seq `from`. */
export const events = (sessionId: string, from: number, count: number): StampedEvent[] =>
  Array.from({ length: count }, (_, index) =>
    textEvent(sessionId, from + index, `word ${from + index}`),
  )

export const approval = (
  approvalId: string,
  sessionId: string,
  more: Partial<ApprovalRecord> = {},
): ApprovalRecord => ({
  approvalId,
  kind: 'tool',
  sessionId,
  toolCallId: 't1',
  toolName: 'bash',
  args: { command: 'ls' },
  deadline: 5000,
  createdAt: 1000,
  status: 'pending',
  ...more,
})

export const command = (
  id: string,
  sessionId: string,
  more: Partial<CommandRecord> = {},
): CommandRecord => ({
  id,
  sessionId,
  kind: 'prompt',
  state: 'sent',
  text: 'Fix it',
  seq: 0,
  createdAt: 1000,
  ...more,
})

export const row = (sessionId: string, key: string, output: number): LedgerRow => ({
  sessionId,
  key,
  timestamp: 1000,
  model: 'm',
  tokens: { input: 10, output },
  costUsd: 0.5,
  provenance: { tokens: 'reported', cost: 'reported' },
})

export const project = (id: string, more: Partial<ProjectRecord> = {}): ProjectRecord => ({
  id,
  name: `project ${id}`,
  path: '/project',
  createdAt: 1000,
  ...more,
})

export const key = (id: string, more: Partial<KeyRecord> = {}): KeyRecord => ({
  id,
  name: `key ${id}`,
  hash: '0'.repeat(64),
  scopes: ['read', 'prompt'],
  createdAt: 1000,
  ...more,
})

/** All items of an iterable. */
export const all = async <Item>(items: AsyncIterable<Item>): Promise<Item[]> => {
  const list: Item[] = []
  for await (const item of items) list.push(item)
  return list
}

/** The seqs of all events of a session. */
export const seqs = async (log: Log, sessionId: string): Promise<number[]> =>
  (await all(log.read(sessionId, 0))).map((event) => event.seq)

/** A new directory that is deleted after the test. */
export const temporaryDirectory = (name: string): string => {
  const directory = mkdtempSync(join(tmpdir(), `sluice-${name}-`))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

export const auditEntry = (more: Partial<NewAuditEntry> = {}): NewAuditEntry => ({
  at: 1000,
  action: 'prompt',
  by: 'ci',
  actorKind: 'key',
  actorId: 'k1',
  ...more,
})

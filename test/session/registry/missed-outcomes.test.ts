import { expect, test } from 'vitest'
import { checkOrder } from '../../../src/events/order.ts'
import { createStamp } from '../../../src/events/stamp.ts'
import type { AgentEvent } from '../../../src/events/types.ts'
import { createLedger } from '../../../src/ledger/ledger.ts'
import { createLedgerCheckpoints } from '../../../src/session/recording/ledger-checkpoints.ts'
import { storeApprovals } from '../../../src/session/recording/store-approvals.ts'
import { crashedLog, firstRun, interruptedRun, recoverLog, resolved } from './crashed-log.ts'

test('an approval whose outcome is in the events only is not decided again', async () => {
  const { log, store } = await crashedLog()
  const outcome = { action: 'allow', outcome: 'answered', by: 'user' } as const
  const request = { type: 'approval_request', kind: 'tool' } as const
  await store([...firstRun, { ...request, approvalId: 'early' }])
  const early: AgentEvent = { type: 'approval_resolved', approvalId: 'early', ...outcome }
  const late: AgentEvent = { type: 'approval_resolved', approvalId: 'past', ...outcome }
  const stamp = createStamp('s', () => 10, firstRun.length + 1)
  await log.append('s', [stamp(early)])
  const ledger = createLedger()
  const checkpoints = createLedgerCheckpoints(log, 's', { ledger, now: () => 10 })
  checkpoints.take(firstRun.length + 2)
  await checkpoints.write(firstRun.length + 2)
  const run = interruptedRun.map(stamp)
  await log.append('s', run)
  await storeApprovals(log, run)
  await log.append('s', [stamp(late)])

  const { events, afters } = await recoverLog(log)
  expect(afters).toContain(firstRun.length + 2)
  expect(checkOrder(events)).toEqual([])
  expect(resolved(events).map(({ approvalId, outcome }) => [approvalId, outcome])).toEqual([
    ['early', 'answered'],
    ['future', 'agent_gone'],
    ['past', 'answered'],
  ])
  expect((await log.approvals.list()).map((each) => [each.approvalId, each.status])).toEqual([
    ['early', 'answered'],
    ['future', 'agent_gone'],
    ['past', 'answered'],
  ])
})

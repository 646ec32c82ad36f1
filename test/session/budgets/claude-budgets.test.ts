import { expect, test } from 'vitest'
import type { StampedEvent } from '../../../src/events/types.ts'
import { openMemoryLog } from '../../../src/log/index.ts'
import { openSessions } from '../../../src/session/registry/open-sessions.ts'
import { claudeSetup } from '../../agents/claude.ts'
import { startModel } from '../../model/server.ts'
import { agentProgram } from '../../support/agent-program.ts'
import { ofType } from '../../support/decoded.ts'
import { eventually } from '../../support/eventually.ts'

const { setup: available, ...absent } = claudeSetup('http://127.0.0.1')
available?.remove()
if ('reason' in absent) console.log(`skipped: Claude Code: ${absent.reason}`)

/** The requests that belong to the conversation. Claude Code also makes calls of its own. */
const callsOf = (requests: readonly unknown[]): number =>
  requests.filter((each) => JSON.stringify(each).includes('scenario:three-tools')).length

test.skipIf(!available)('the real Claude Code is paused at a limit, and goes on', async () => {
  const model = await startModel()
  const { setup } = claudeSetup(model.url)
  if (!setup) throw new Error('CLAUDE_BIN went away')
  const log = await openMemoryLog()
  const events: StampedEvent[] = []
  const program = agentProgram(setup)
  const sessions = await openSessions({
    log,
    publish: (event) => events.push(event),
    findProgram: () => program,
    env: setup.env,
    policy: 'allow',
  })
  const { session } = await sessions.create({
    agent: 'claude',
    cwd: setup.cwd,
    budget: { limits: { tokens: 20 } },
  })
  await session.prompt('scenario:three-tools please')
  const request = await eventually(() => {
    const found = ofType(events, 'approval_request').find(({ kind }) => kind === 'budget')
    expect(found).toBeDefined()
    return found ?? expect.unreachable()
  })
  expect(callsOf(model.requests)).toBe(1)
  expect(ofType(events, 'agent_end')).toEqual([])
  session.answer(request.approvalId, { action: 'allow', raise: 1_000_000 })
  await eventually(() =>
    expect(ofType(events, 'agent_end')).toMatchObject([{ stopReason: 'stop' }]),
  )
  expect(callsOf(model.requests)).toBe(4)
  await sessions.close()
  await log.close()
  setup.remove()
  await model.close()
})

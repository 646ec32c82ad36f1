import { setImmediate } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { demo } from '../../../src/agents/demo/index.ts'
import { openMemoryLog } from '../../../src/log/index.ts'
import { LogFault } from '../../../src/log/log-fault.ts'
import type { SessionDeps } from '../../../src/session/conversation/session-deps.ts'
import { Fault } from '../../../src/shared/fault.ts'
import { session } from '../../log/samples.ts'
import { dataDirectory } from '../../support/demo-sessions.ts'
import { openLiveSession } from '../../support/live-session.ts'

/** A session whose agent cannot be started. */
const openBroken = async (change: Partial<SessionDeps['commands']> = {}) => {
  const log = await openMemoryLog()
  await log.sessions.create(session('s'))
  const failing = Promise.withResolvers<void>()
  const add: SessionDeps['commands']['add'] = async (record) => {
    // The start of the agent fails first.
    await failing.promise
    await setImmediate()
    await log.commands.add({ ...record, sessionId: 's' })
  }
  const live = openLiveSession({
    agent: demo,
    setup: { argv: [process.execPath, '-'], env: {}, cwd: dataDirectory(), remove() {} },
    model: 'm',
    deps: {
      commands: { ...log.commands, add, ...change },
      async startInProject() {
        failing.resolve()
        throw new Fault('agent_not_started', 'It does not start.')
      },
    },
  })
  onTestFinished(() => live.close())
  return { log, live }
}

test('a refused message leaves no trace, although it was still being stored', async () => {
  const { log, live } = await openBroken()
  expect(await live.prompt('hi')).toMatchObject({ code: 'agent_not_started' })
  expect(await log.commands.list('s')).toEqual([])
})

test('a message that cannot be deleted again is not called refused', async () => {
  const away = new LogFault('unreachable', 'NATS does not answer.')
  const { log, live } = await openBroken({ remove: () => Promise.reject(away) })
  expect(await live.prompt('hi')).toMatchObject({ outcome: 'failed', code: 'unreachable' })
  expect(await log.commands.list('s')).toHaveLength(1)
})

test('a message that may be stored later is not called refused', async () => {
  const away = new LogFault('unreachable', 'NATS does not answer.')
  const { live } = await openBroken({ add: () => Promise.reject(away) })
  expect(await live.prompt('hi')).toMatchObject({ outcome: 'failed', code: 'unreachable' })
})

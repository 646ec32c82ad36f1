import { expect, test } from 'vitest'
import type { StampedEvent } from '../../../src/events/types.ts'
import { type Log, LogFault } from '../../../src/log/index.ts'
import { ofType } from '../../support/decoded.ts'
import { dataDirectory, openDemoSessions } from '../../support/demo-sessions.ts'
import { eventually } from '../../support/eventually.ts'

test('a run that has ended leaves its session idle, also when its start is stored late', async () => {
  const late = Promise.withResolvers<void>()
  const stored: string[] = []
  const wrapLog = (log: Log): Log => ({
    ...log,
    sessions: {
      ...log.sessions,
      async update(id, patch) {
        // As over a network that loses the first try.
        if (patch.state === 'running') await late.promise
        const record = await log.sessions.update(id, patch)
        if (patch.state !== undefined) stored.push(patch.state)
        return record
      },
    },
  })
  const published: StampedEvent[] = []
  const { log, close, createDemoSession } = await openDemoSessions({
    ...{ directory: dataDirectory(), wrapLog },
    publish: (event) => published.push(event),
  })
  const { record, session } = await createDemoSession()
  await session.prompt('think')
  await eventually(() => expect(ofType(published, 'agent_end')).toHaveLength(1))
  await session.idle()
  late.resolve()
  await eventually(() => expect(stored).toContain('idle'))
  await eventually(() => expect(stored).toContain('running'))
  expect(await log.sessions.get(record.id)).toMatchObject({ state: 'idle' })
  await close()
})

test.each([
  ['the disk is full', () => new LogFault('disk_full', 'Full.')],
  ['the storage fails', () => new LogFault('write_failed', 'Failed.')],
])('a session is idle after its run, also when %s at its end for a moment', async (_, fault) => {
  let refusals = 0
  const { log, close, createDemoSession } = await openDemoSessions({
    directory: dataDirectory(),
    wrapLog: refusingIdle(() => {
      refusals += 1
      if (refusals <= 2) throw fault()
    }),
  })
  const { record, session } = await createDemoSession()
  await session.prompt('think')
  await session.idle()
  const idle = async () =>
    expect(await log.sessions.get(record.id)).toMatchObject({ state: 'idle' })
  await eventually(() => expect(refusals).toBeGreaterThan(2))
  await eventually(idle)
  await close()
})

test('a record whose change fails in an unknown way is reported, and saves later changes', async () => {
  const errors: unknown[] = []
  let refusals = 0
  const { log, close, createDemoSession } = await openDemoSessions({
    directory: dataDirectory(),
    onError: (cause) => errors.push(cause),
    wrapLog: refusingIdle(() => {
      refusals += 1
      if (refusals === 1) throw new Error('No right to write.')
    }),
  })
  const { record, session } = await createDemoSession()
  await session.prompt('think')
  await session.idle()
  await eventually(() => expect(errors).toMatchObject([{ message: 'No right to write.' }]))
  await session.prompt('think')
  await session.idle()
  const idle = async () =>
    expect(await log.sessions.get(record.id)).toMatchObject({ state: 'idle' })
  await eventually(idle)
  await close()
})

test('a run whose end found no space is closed when there is space, also when no status shows it', async () => {
  let isFull = false
  const failures: unknown[] = []
  const published: StampedEvent[] = []
  const append =
    (store: Log['append']): Log['append'] =>
    async (...batch) => {
      if (isFull) throw new LogFault('disk_full', 'Full.')
      await store(...batch)
    }
  const { log, close, createDemoSession } = await openDemoSessions({
    ...{ directory: dataDirectory(), pace: 20, onError: (cause) => failures.push(cause) },
    publish: (event) => published.push(event),
    wrapLog: ({ queue: _, ...log }) => ({ ...log, append: append(log.append) }),
  })
  const { session } = await createDemoSession()
  await session.prompt('think')
  await eventually(() => expect(ofType(published, 'agent_start')).toHaveLength(1))
  isFull = true
  // The first try to close it fails, too.
  await eventually(() => expect(failures.length).toBeGreaterThan(1))
  isFull = false
  await eventually(() => expect(ofType(published, 'agent_end')).toHaveLength(1))
  expect(ofType(published, 'agent_end')).toMatchObject([{ stopReason: 'interrupted' }])
  const states = async () => (await log.sessions.list()).map(({ state }) => state)
  await eventually(async () => expect(await states()).toEqual(['idle']))
  await close()
})

test('changes that come while one is stored are stored together, however many there are', async () => {
  const first = Promise.withResolvers<void>()
  let updates = 0
  const { close, createDemoSession } = await openDemoSessions({
    directory: dataDirectory(),
    wrapLog: (log) => ({
      ...log,
      sessions: {
        ...log.sessions,
        async update(id, patch) {
          updates += 1
          // As while a cluster does not answer.
          await first.promise
          return log.sessions.update(id, patch)
        },
      },
    }),
  })
  const { session } = await createDemoSession()
  for (let run = 0; run < 3; run += 1) {
    await session.prompt('think')
    await session.idle()
  }
  expect(updates).toBe(1)
  first.resolve()
  await close()
  expect(updates).toBeLessThan(5)
})

/** A log that may refuse to store that a run has ended. */
const refusingIdle =
  (check: () => void) =>
  (log: Log): Log => ({
    ...log,
    sessions: {
      ...log.sessions,
      async update(id, patch) {
        if (patch.state === 'idle') check()
        return log.sessions.update(id, patch)
      },
    },
  })

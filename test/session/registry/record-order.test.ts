import { expect, test } from 'vitest'
import type { StampedEvent } from '../../../src/events/types.ts'
import type { Log } from '../../../src/log/index.ts'
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

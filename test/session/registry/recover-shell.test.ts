import { expect, test } from 'vitest'
import { createStamp } from '../../../src/events/stamp.ts'
import type { AgentEvent, StampedEvent } from '../../../src/events/types.ts'
import { openMemoryLog } from '../../../src/log/index.ts'
import { recover } from '../../../src/session/registry/recover.ts'
import { session } from '../../log/samples.ts'

const shell = (fields: object): AgentEvent => ({
  type: 'session_update',
  shell: { id: 'sh', ...fields },
})

test('a shell command of a person ends with the server, once', async () => {
  const log = await openMemoryLog()
  await log.sessions.create(session('s', { agent: 'pi' }))
  const events = [
    { type: 'session_start', agent: 'pi' } as const,
    shell({ command: 'sleep 60' }),
    shell({ outputDelta: 'begun' }),
  ]
  await log.append('s', events.map(createStamp('s', () => 10)))
  const published: StampedEvent[] = []
  const deps = {
    log,
    now: () => 100,
    publish: (event: StampedEvent) => published.push(event),
    onError: (cause: unknown) => expect.unreachable(String(cause)),
  }
  await recover(deps)
  await recover(deps)
  expect(published).toMatchObject([shell({ cancelled: true })])
})

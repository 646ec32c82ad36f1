import { expect, test } from 'vitest'
import { createStamp } from '../../../src/events/stamp.ts'
import type { AgentEvent, StampedEvent } from '../../../src/events/types.ts'
import { openMemoryLog } from '../../../src/log/index.ts'
import { LogFault } from '../../../src/log/log-fault.ts'
import { closeInterrupted } from '../../../src/session/registry/close-interrupted.ts'
import { all, command, session } from '../../log/samples.ts'

const openRun: AgentEvent[] = [
  { type: 'session_start', agent: 'pi' },
  { type: 'agent_start' },
  { type: 'message_start', messageRole: 'assistant', messageId: 'm1', model: 'm' },
]

test('the end of a run is published, even if its messages cannot be closed', async () => {
  const log = await openMemoryLog()
  const record = session('s', { agent: 'pi', state: 'running' })
  await log.sessions.create(record)
  await log.append('s', openRun.map(createStamp('s', () => 10)))
  await log.commands.add(command('c1', 's'))
  const away = new LogFault('unreachable', 'NATS does not answer.')
  const commands = { ...log.commands, close: () => Promise.reject(away) }
  const published: StampedEvent[] = []
  const closing = closeInterrupted(record, {
    log: { ...log, commands },
    now: () => 100,
    publish: (event) => published.push(event),
    onError: (cause) => expect.unreachable(String(cause)),
  })
  await expect(closing).rejects.toBe(away)
  expect(published.map(({ type }) => type)).toContain('agent_end')
  expect(published).toEqual(await all(log.read('s', openRun.length)))
})

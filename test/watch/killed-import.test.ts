import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { StampedEvent } from '../../src/events/types.ts'
import { openSqliteLog } from '../../src/log/index.ts'
import { dataDirectory } from '../support/demo-sessions.ts'
import { agentHome, fileRecordings, putRecording } from './home.ts'
import { eventsOf, importHome, memoryLog, sessionsOf } from './rig.ts'

const program = join(import.meta.dirname, 'import-process.ts')

/** The events of all sessions, by the agents’ own ids. */
const allEvents = async (log: Parameters<typeof sessionsOf>[0]) => {
  const found = new Map<string, unknown[]>()
  for (const { id, watched } of await sessionsOf(log)) {
    const events: StampedEvent[] = await eventsOf(log, id)
    found.set(
      watched?.nativeId ?? '',
      events
        .filter(({ type }) => type !== 'turn_state')
        .map(({ readUpTo: _, seq: __, ...event }) => event),
    )
  }
  return new Map([...found].toSorted())
}

test('an import that is killed again and again loses and repeats nothing', async () => {
  const home = agentHome()
  // Each once: files with the same session, or with copies, depend on their order.
  const names = fileRecordings.filter(({ name }) => !/fork|branch|claude/.test(name))
  for (const [index, { name }] of names.entries()) putRecording(home, name, `n${index}`)
  const expected = await memoryLog()
  await importHome(home, expected)

  const data = dataDirectory()
  for (const ms of [5, 10, 20, 40]) {
    const child = spawn(process.execPath, [program, data, home], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(child.stdout, 'data')
    // How far it has come does not matter, as long as it differs.
    await delay(ms)
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  const log = await openSqliteLog(data)
  await importHome(home, log)
  expect(await allEvents(log)).toEqual(await allEvents(expected))
  await log.close()
})

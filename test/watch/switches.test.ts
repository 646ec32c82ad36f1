import { appendFileSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { StampedEvent } from '../../src/events/types.ts'
import type { Log } from '../../src/log/index.ts'
import { createWatchedSessions } from '../../src/watch/create-watched-sessions.ts'
import { openFileWatcher } from '../../src/watch/files/file-watcher.ts'
import { openFileLibrary } from '../../src/watch/files/library.ts'
import { fileSources } from '../../src/watch/sources/file-sources.ts'
import { openOpenCodeWatcher } from '../../src/watch/stores/opencode-watcher.ts'
import { createWatchSwitches } from '../../src/watch/watch-switches.ts'
import { agentHome, putRecording } from './home.ts'
import { eventsOf, importHome, memoryLog, sessionsOf } from './rig.ts'

const claude = 'claude-session-file/2.1.325/resume-chain'
const nativeId = '531a7146-4944-4d91-9171-1e9b871fc085'
const pi = 'pi-session-file/0.87.1/text'

/** Watches a home directory with switches, as a server does. */
const watchHome = async (home: string, log: Log) => {
  const onError = (cause: unknown) => {
    throw cause
  }
  const published: StampedEvent[] = []
  const watched = createWatchedSessions({
    ...{ log, onError, notify() {}, publish: (event: StampedEvent) => published.push(event) },
    publishHistory() {},
  })
  const switches = createWatchSwitches({
    settings: log.settings,
    onChange() {
      files?.recheck()
      openCode?.recheck()
    },
  })
  const files = openFileWatcher({
    ...{ sources: fileSources, env: {}, home, switches, onError },
    openLibrary: () => openFileLibrary({ log, watched, switches }),
  })
  const file = join(home, 'opencode/opencode.db')
  const openCode = openOpenCodeWatcher({ log, watched, switches, file, onError })
  onTestFinished(async () => {
    await Promise.all([files.close(), openCode.close()])
    await watched.close()
  })
  return { switches, published }
}

const agentsOf = async (log: Log) => (await sessionsOf(log)).map(({ agent }) => agent).toSorted()

const messagesOf = async (log: Log, id: string) =>
  (await eventsOf(log, id)).flatMap((event) =>
    event.type === 'message_end' ? [event.messageId] : [],
  )

/** The directories in which the sessions of a recording work. */
const cwdOf = (path: string): string =>
  /"cwd":"([^"]+)"/.exec(readFileSync(path, 'utf8'))?.[1] ?? ''

test('an agent that is off is not read, also after a restart, until it is on again', async () => {
  const [home, log] = [agentHome(), await memoryLog()]
  await createWatchSwitches({ settings: log.settings, onChange() {} }).set(
    { agent: 'claude' },
    true,
  )
  putRecording(home, claude, nativeId)
  putRecording(home, pi, 'n1')
  const { switches } = await watchHome(home, log)
  await expect.poll(() => agentsOf(log), { timeout: 10_000 }).toEqual(['pi'])
  await switches.set({ agent: 'claude' }, false)
  await expect.poll(() => agentsOf(log), { timeout: 10_000 }).toEqual(['claude', 'pi'])
})

test('a project that is switched off while its agent writes is left at once, and read on later', async () => {
  const [home, log] = [agentHome(), await memoryLog()]
  const path = putRecording(home, claude, nativeId)
  const project = cwdOf(path)
  const whole = await memoryLog()
  await importHome(home, whole)
  const expected = await messagesOf(whole, (await sessionsOf(whole))[0]?.id ?? '')
  const lines = readFileSync(path, 'utf8').split(/(?<=\n)/)
  writeFileSync(path, lines.slice(0, 25).join(''))
  const sessions = join(home, '.pi/agent/sessions/-srv-other-')
  mkdirSync(sessions, { recursive: true })
  const { switches, published } = await watchHome(home, log)
  await expect.poll(() => published.length, { timeout: 10_000 }).toBeGreaterThan(10)
  const { id = '' } = (await sessionsOf(log))[0] ?? {}
  await switches.set({ project: dirname(project) }, true)
  await expect
    .poll(async () => (await log.sessions.get(id))?.state, { timeout: 10_000 })
    .toBe('idle')
  const before = (await eventsOf(log, id)).length
  appendFileSync(path, lines.slice(25).join(''))
  // A session of another project is read behind it, so the change was seen.
  const other = agentHome()
  const elsewhere = putRecording(other, pi, 'n1')
  const text = readFileSync(elsewhere, 'utf8').replaceAll(cwdOf(elsewhere), '/srv/other')
  writeFileSync(join(sessions, 'n1.jsonl'), text)
  await expect.poll(() => agentsOf(log), { timeout: 10_000 }).toEqual(['claude', 'pi'])
  expect((await eventsOf(log, id)).length).toBe(before)
  await switches.set({ project: dirname(project) }, false)
  await expect.poll(() => messagesOf(log, id), { timeout: 10_000 }).toEqual(expected)
  const seqs = (await eventsOf(log, id)).map(({ seq }) => seq)
  expect(seqs).toEqual(seqs.map((_, index) => index + 1))
})

test('the sessions of OpenCode in a directory are left out, and read when it is on again', async () => {
  const [home, log] = [agentHome(), await memoryLog()]
  const sample = '../../recordings/opencode-session-file/1.18.33/opencode.db'
  mkdirSync(join(home, 'opencode'))
  copyFileSync(new URL(sample, import.meta.url), join(home, 'opencode/opencode.db'))
  await createWatchSwitches({ settings: log.settings, onChange() {} }).set({ project: '/' }, true)
  putRecording(home, pi, 'n1')
  const { switches } = await watchHome(home, log)
  await switches.set({ agent: 'opencode' }, true)
  await switches.set({ project: '/' }, false)
  await expect.poll(() => agentsOf(log), { timeout: 10_000 }).toEqual(['pi'])
  await switches.set({ agent: 'opencode' }, false)
  await expect
    .poll(async () => (await agentsOf(log)).includes('opencode'), { timeout: 10_000 })
    .toBe(true)
})

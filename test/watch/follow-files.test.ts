import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { agentHome, putRecording } from './home.ts'
import { eventsOf, importHome, memoryLog, sessionsOf } from './rig.ts'
import { comparable, watchHome } from './watch-home.ts'

const name = 'claude-session-file/2.1.325/resume-chain'
const nativeId = '531a7146-4944-4d91-9171-1e9b871fc085'

/** The events of a whole file, imported at once. */
const eventsOfImport = async (recorded: string, id: string) => {
  const [home, log] = [agentHome(), await memoryLog()]
  putRecording(home, recorded, id)
  await importHome(home, log)
  return comparable(await eventsOf(log, (await sessionsOf(log))[0]?.id ?? ''))
}

/** Removes the file of a recording, and returns its path and its lines. */
const takeLines = (home: string) => {
  const path = putRecording(home, name, nativeId)
  const lines = readFileSync(path, 'utf8').split(/(?<=\n)/)
  rmSync(path)
  return { path, lines }
}

const onlySession = async (log: Awaited<ReturnType<typeof memoryLog>>) => (await sessionsOf(log))[0]

test('a file that grows line by line, also by parts of lines, gives the events of an import', async () => {
  const [home, log] = [agentHome(), await memoryLog()]
  const expected = await eventsOfImport(name, nativeId)
  const { path, lines } = takeLines(home)
  const { watcher } = watchHome(home, log)
  await expect.poll(() => watcher.directories()).toHaveLength(1)
  for (const line of lines) {
    const cut = Math.floor(line.length / 2)
    appendFileSync(path, line.slice(0, cut))
    appendFileSync(path, line.slice(cut))
    await new Promise(setImmediate)
  }
  const stored = async () => comparable(await eventsOf(log, (await onlySession(log))?.id ?? ''))
  await expect
    .poll(async () => (await stored()).length, { timeout: 30_000 })
    .toBeGreaterThanOrEqual(expected.length)
  expect(await stored()).toEqual(expected)
})

test('a new session in a new folder is found, and its end is seen without another line', async () => {
  const [home, log] = [agentHome(), await memoryLog()]
  mkdirSync(`${home}/.pi/agent/sessions`, { recursive: true })
  const { published, watcher } = watchHome(home, log)
  await expect.poll(() => watcher.directories()).toHaveLength(1)
  const elsewhere = putRecording(agentHome(), 'pi-session-file/0.87.1/text', 'n1')
  mkdirSync(`${home}/.pi/agent/sessions/--home-dev-project--`)
  writeFileSync(`${home}/.pi/agent/sessions/--home-dev-project--/n1.jsonl`, readFileSync(elsewhere))
  await expect
    .poll(() => published.at(-1), { timeout: 10_000 })
    .toMatchObject({ type: 'agent_end', stopReason: 'stop' })
})

test.each([1, 7, 20, 40])('a watcher that ends after %i lines goes on there', async (count) => {
  const [home, log] = [agentHome(), await memoryLog()]
  const expected = await eventsOfImport(name, nativeId)
  const { path, lines } = takeLines(home)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, lines.slice(0, count).join(''))
  await importHome(home, log)
  appendFileSync(path, lines.slice(count).join(''))
  const { close } = watchHome(home, log)
  await expect
    .poll(async () => comparable(await eventsOf(log, (await onlySession(log))?.id ?? '')).length, {
      timeout: 10_000,
    })
    .toBe(expected.length)
  await close()
  const { id = '' } = (await onlySession(log)) ?? {}
  expect(comparable(await eventsOf(log, id))).toEqual(expected)
})

test('a file that is replaced, cut or moved repeats nothing', async () => {
  const [home, log] = [agentHome(), await memoryLog()]
  const expected = await eventsOfImport(name, nativeId)
  const { path, lines } = takeLines(home)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, lines.slice(0, 25).join(''))
  const { published, watcher } = watchHome(home, log)
  await expect.poll(() => watcher.directories()).toHaveLength(1)
  await expect.poll(() => published.length).toBeGreaterThan(10)
  // A tool writes the same file anew, and puts it in place of the old one.
  writeFileSync(`${path}.tmp`, lines.slice(0, 25).join(''))
  const before = statSync(path).ino
  renameSync(`${path}.tmp`, path)
  expect(statSync(path).ino).not.toBe(before)
  appendFileSync(path, lines.slice(25, 35).join(''))
  const count = async () => {
    const events = await eventsOf(log, (await onlySession(log))?.id ?? '')
    return events.flatMap((event) => (event.type === 'message_end' ? [event.messageId] : []))
  }
  const messages = expected.flatMap((event) =>
    event.type === 'message_end' ? [event.messageId] : [],
  )
  writeFileSync(path, lines.slice(0, 10).join(''))
  writeFileSync(path, lines.join(''))
  await expect.poll(count, { timeout: 10_000 }).toEqual(messages)
})

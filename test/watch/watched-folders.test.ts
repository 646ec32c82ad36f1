import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { hasProc } from '../../src/process/process-table.ts'
import { createDirectoryWatch } from '../../src/watch/files/directory-watch.ts'
import { age, agentHome, putRecording } from './home.ts'
import { eventsOf, memoryLog, sessionsOf } from './rig.ts'
import { watchHome } from './watch-home.ts'

/** A home with a directory for sessions of Claude Code, and how a session is written there. */
const openHome = async () => {
  const [home, log] = [agentHome(), await memoryLog()]
  const projects = join(home, '.claude/projects')
  mkdirSync(projects, { recursive: true })
  const sample = putRecording(agentHome(), 'claude-session-file/2.1.325/p-text', 'text')
  const recording = readFileSync(sample, 'utf8')
  const write = (folder: string, id: string): string => {
    mkdirSync(join(projects, folder), { recursive: true })
    const path = join(projects, folder, `${id}.jsonl`)
    writeFileSync(path, recording.replaceAll(/"sessionId":"[^"]*"/g, `"sessionId":"${id}"`))
    return path
  }
  const ids = async () => (await sessionsOf(log)).map(({ watched }) => watched?.nativeId).toSorted()
  return { home, log, projects, write, ids }
}

/** Nothing is found by looking at everything: only by what the system reports. */
const never = { scanMs: 3_600_000 }

test('a folder that was deleted, or moved away, is watched when it is made again', async () => {
  const { home, log, projects, write, ids } = await openHome()
  write('one', 'a')
  write('two', 'b')
  watchHome(home, log, never)
  await expect.poll(ids, { timeout: 10_000 }).toEqual(['a', 'b'])
  rmSync(join(projects, 'one'), { recursive: true })
  renameSync(join(projects, 'two'), join(home, 'elsewhere'))
  write('one', 'c')
  write('two', 'd')
  await expect.poll(ids).toEqual(['a', 'b', 'c', 'd'])
  write('one', 'e')
  write('two', 'f')
  await expect.poll(ids).toEqual(['a', 'b', 'c', 'd', 'e', 'f'])
})

test('the directory of an agent may be moved away and back, and made later', async () => {
  const { home, log, projects, write, ids } = await openHome()
  write('one', 'a')
  const { watcher, published, history } = watchHome(home, log, never)
  await expect.poll(ids).toEqual(['a'])
  await expect.poll(() => published.some(({ type }) => type === 'agent_end')).toBe(true)
  renameSync(projects, `${projects}-away`)
  await expect.poll(() => watcher.directories(), { timeout: 5000 }).toEqual([])
  const count = published.length + history.length
  renameSync(`${projects}-away`, projects)
  await expect.poll(() => watcher.directories(), { timeout: 5000 }).toHaveLength(1)
  expect(published.length + history.length).toBe(count)
  write('one', 'b')
  await expect.poll(ids).toEqual(['a', 'b'])
  // An agent that is installed while the server runs.
  mkdirSync(join(home, '.pi/agent/sessions'), { recursive: true })
  await expect.poll(() => watcher.directories(), { timeout: 5000 }).toHaveLength(2)
})

test('of more folders than are watched, those with the latest changes are', async () => {
  const root = agentHome()
  const changes = new Set<string>()
  const watch = createDirectoryWatch(root, {
    onChange: (path) => changes.add(path),
    onFound: (path) => changes.add(path),
    onLimit() {},
    onError(cause) {
      throw cause
    },
    maxFolders: 4,
  })
  onTestFinished(watch.close)
  for (let index = 0; index < 9; index += 1) mkdirSync(join(root, `${index}`))
  await watch.addAll()
  expect(watch.isComplete()).toBe(false)
  const write = (path: string) => writeFileSync(join(root, path), '')
  await watch.prefer(['7', '8', '0', '1', '2', '3'])
  write('7/a.jsonl')
  write('8/a.jsonl')
  await expect.poll(() => [...changes].toSorted()).toEqual(['7/a.jsonl', '8/a.jsonl'])
  // A new folder takes the place of the one in which nothing has happened for longest.
  mkdirSync(join(root, 'new'))
  write('new/a.jsonl')
  await expect.poll(() => changes.has('new/a.jsonl')).toBe(true)
  write('7/b.jsonl')
  write('new/b.jsonl')
  await expect.poll(() => changes.has('new/b.jsonl') && changes.has('7/b.jsonl')).toBe(true)
})

const child = new URL('./limited-watch.ts', import.meta.url).pathname
const setLimit = 'echo "$1" > /proc/sys/user/max_inotify_watches || exit 77; shift; exec "$@"'
const canLimit =
  spawnSync('unshare', ['-U', '-r', 'sh', '-c', setLimit, 'sh', '9', 'true']).status === 0
if (!canLimit) console.log('skipped: limits of the system: unshare cannot set them')

test.skipIf(!canLimit).each([6, 0])(
  'a system that watches only %i folders is reported once, and all sessions are found',
  { timeout: 30_000 },
  async (limit) => {
    const { home, write } = await openHome()
    for (let index = 0; index < 12; index += 1) age(write(`old-${index}`, `old-${index}`))
    const argv = ['-U', '-r', 'sh', '-c', setLimit, 'sh', `${limit}`, process.execPath, child, home]
    const running = spawn('unshare', argv, { stdio: ['pipe', 'pipe', 'inherit'] })
    onTestFinished(() => void running.kill('SIGKILL'))
    let output = ''
    running.stdout.on('data', (chunk: Buffer) => {
      output += chunk
    })
    const lines = () => output.split('\n')
    await expect
      .poll(() => lines().filter((line) => line.startsWith('session old-')))
      .toHaveLength(12)
    for (const id of ['x', 'y', 'z']) {
      write(`new-${id}`, id)
      await expect.poll(lines, { timeout: 8000 }).toContain(`session ${id}`)
    }
    running.stdin.end()
    await once(running, 'exit')
    expect(lines().filter((line) => line.startsWith('notice '))).toEqual([
      expect.stringContaining('fs.inotify.max_user_watches'),
    ])
  },
)

/** How many files below a directory this process has open. */
const openFiles = (directory: string): number =>
  readdirSync('/proc/self/fd').filter((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`).startsWith(`${directory}/`)
    } catch {
      return false // It is closed by now.
    }
  }).length

test.skipIf(!hasProc)(
  'of many files that change at once, a few are read at a time, and all are read',
  async () => {
    const { home, log, projects, write, ids } = await openHome()
    write('one', 'first')
    let most = 0
    const append: typeof log.append = async (...args) => {
      most = Math.max(most, openFiles(projects))
      await log.append(...args)
    }
    watchHome(home, { ...log, append }, { scanMs: 1000 })
    await expect.poll(ids).toEqual(['first'])
    const names = Array.from({ length: 400 }, (_, index) => `s${1000 + index}`)
    for (const name of names) write('one', name)
    await expect.poll(async () => (await ids()).length, { timeout: 30_000 }).toBe(401)
    expect(most).toBeLessThanOrEqual(5)
    for (const { id } of await sessionsOf(log)) {
      const starts = (await eventsOf(log, id)).filter(({ type }) => type === 'session_start')
      expect(starts).toHaveLength(1)
    }
  },
  60_000,
)

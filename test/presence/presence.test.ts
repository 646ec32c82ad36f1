import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Presence } from '../../src/events/types.ts'
import { createPresenceRegistry } from '../../src/presence/index.ts'
import { hasProc } from '../../src/process/process-table.ts'

let home: string
let cwd: string
const children: ChildProcess[] = []
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-presence-')))
  cwd = join(home, 'project')
  mkdirSync(cwd)
})
afterEach(async () => {
  for (const child of children.splice(0)) await kill(child)
  rmSync(home, { recursive: true })
})

const registry = (pollMs?: number) =>
  createPresenceRegistry({ env: { HOME: home }, ...(pollMs !== undefined && { pollMs }) })
const find = (agent: string, more: object = {}) =>
  registry().find({ agent, nativeId: 'session-1', cwd, ...more })

/** A process that only waits, under the name of a program. */
const start = async (name: string, options: object = {}): Promise<number> => {
  const program = join(home, name)
  copyFileSync(spawnSync('which', ['sleep'], { encoding: 'utf8' }).stdout.trim(), program)
  const child = spawn(program, ['300'], { stdio: 'ignore', cwd: home, ...options })
  children.push(child)
  await once(child, 'spawn')
  return child.pid ?? 0
}

const kill = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

const startTicksOf = (pid: number): string =>
  readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ')[19] ?? ''

describe.skipIf(!hasProc)('Claude Code', () => {
  const sessions = () => join(home, '.claude/sessions')
  const marker = (pid: number, more: object = {}) => {
    mkdirSync(sessions(), { recursive: true })
    const fields = {
      ...{ pid, sessionId: 'session-1', cwd, startedAt: Date.now(), version: '2.1.325' },
      ...{ procStart: startTicksOf(pid), kind: 'interactive', status: 'idle', ...more },
    }
    writeFileSync(join(sessions(), `${pid}.json`), JSON.stringify(fields))
  }

  test.each<[object, Partial<Presence>]>([
    [{ status: 'busy' }, { state: 'working' }],
    [{ status: 'idle' }, { state: 'idle' }],
    [
      { status: 'waiting', waitingFor: 'permission prompt' },
      { state: 'waiting', waitingFor: 'permission prompt' },
    ],
    [{ status: 'dreaming' }, { state: 'alive' }],
  ])('%j is %j', async (fields, expected) => {
    const pid = await start('claude')
    marker(pid, fields)
    expect(await find('claude')).toEqual({ pid, ...expected })
  })

  test('a process that was killed is gone, though its file says that it works', async () => {
    const pid = await start('claude')
    marker(pid, { status: 'busy' })
    for (const child of children) await kill(child)
    expect(await find('claude')).toEqual({ state: 'gone' })
  })

  test('another process with the same pid is not the one of the session', async () => {
    const pid = await start('claude')
    marker(pid, { procStart: '1' })
    expect(await find('claude')).toEqual({ state: 'gone' })
  })

  test('the session of a process can change in place', async () => {
    const pid = await start('claude', { cwd })
    marker(pid)
    expect(await find('claude')).toMatchObject({ state: 'idle', pid })
    marker(pid, { sessionId: 'session-2' })
    expect(await find('claude')).toEqual({ state: 'gone' })
    expect(await find('claude', { nativeId: 'session-2' })).toMatchObject({ state: 'idle', pid })
  })

  test('of two processes in one session, the one that waits is reported', async () => {
    const [first, second] = [await start('claude'), await start('other')]
    marker(first, { status: 'busy' })
    marker(second, { status: 'waiting' })
    expect(await find('claude')).toMatchObject({ state: 'waiting', pid: second })
  })

  test('a version that writes no file is found in its directory', async () => {
    const pid = await start('claude', { cwd })
    expect(await find('claude', { lastWrite: Date.now() + 1000 })).toEqual({ state: 'alive', pid })
    expect(await find('claude', { lastWrite: 1 })).toEqual({ state: 'unknown', pid })
  })

  test('files of strangers, links, pipes and garbage say nothing', async () => {
    const pid = await start('claude')
    marker(pid)
    const own = join(sessions(), `${pid}.json`)
    copyFileSync(own, join(home, 'elsewhere.json'))
    rmSync(own)
    symlinkSync(join(home, 'elsewhere.json'), own)
    spawnSync('mkfifo', [join(sessions(), '11.json')])
    writeFileSync(join(sessions(), '12.json'), `${'['.repeat(60_000)}`)
    writeFileSync(join(sessions(), '13.json'), 'x'.repeat(100_000))
    writeFileSync(join(sessions(), `${pid}.key`), 'secret')
    mkdirSync(join(sessions(), '14.json'))
    expect(await find('claude')).toEqual({ state: 'gone' })
  })

  test('changes are reported at once, and a killed process soon', async () => {
    const pid = await start('claude')
    marker(pid)
    const watched = registry(100)
    const seen: Presence[] = []
    const waiting: (() => void)[] = []
    const next = (count: number) =>
      new Promise<void>((resolve) => {
        if (seen.length >= count) return resolve()
        waiting.push(() => seen.length >= count && resolve())
      })
    const stop = watched.follow({ agent: 'claude', nativeId: 'session-1', cwd }, (presence) => {
      seen.push(presence)
      for (const each of waiting) each()
    })
    await next(1)
    marker(pid, { status: 'waiting', waitingFor: 'permission prompt' })
    await next(2)
    for (const child of children) await kill(child)
    await next(3)
    stop()
    watched.close()
    expect(seen.map(({ state }) => state)).toEqual(['idle', 'waiting', 'gone'])
  })
})

describe.skipIf(!hasProc)('Codex', () => {
  const locks = () => join(home, '.codex/thread-writer-locks')

  test('a lock counts only while a process holds it', async () => {
    mkdirSync(locks(), { recursive: true })
    expect(await find('codex')).toEqual({ state: 'gone' })
    const file = join(locks(), 'session-1.lock')
    writeFileSync(file, '')
    expect(await find('codex')).toEqual({ state: 'gone' })
    const holder = spawn('flock', [file, '-c', 'echo held; exec sleep 300'], { detached: true })
    await once(holder.stdout, 'data')
    expect(await find('codex')).toMatchObject({ state: 'alive', pid: expect.any(Number) })
    process.kill(-(holder.pid ?? 0), 'SIGKILL')
    await once(holder, 'close')
    expect(await find('codex')).toEqual({ state: 'gone' })
  })

  test('an id that is a path leads nowhere', async () => {
    expect(await find('codex', { nativeId: '../../etc/passwd' })).toEqual({ state: 'unknown' })
  })
})

describe.skipIf(!hasProc)('Copilot', () => {
  test('a lock counts while its process lives, and not for a later one', async () => {
    const directory = join(home, '.copilot/session-state/session-1')
    mkdirSync(directory, { recursive: true })
    expect(await find('copilot')).toEqual({ state: 'gone' })
    const pid = await start('copilot')
    const lock = join(directory, `inuse.${pid}.lock`)
    writeFileSync(lock, `${pid}`)
    expect(await find('copilot')).toEqual({ state: 'alive', pid })
    utimesSync(lock, new Date(0), new Date(0))
    expect(await find('copilot')).toEqual({ state: 'gone' })
  })
})

describe.skipIf(!hasProc)('an agent without a marker', () => {
  test('is gone without a process in its directory', async () => {
    await start('pi')
    expect(await find('pi')).toEqual({ state: 'gone' })
  })

  test('is alive if its process was there when the session was written', async () => {
    const pid = await start('pi', { cwd })
    const file = join(home, 'session.jsonl')
    writeFileSync(file, '')
    appendFileSync(file, '{}\n')
    const later = new Date(Date.now() + 2000)
    utimesSync(file, later, later)
    expect(await find('pi', { file })).toEqual({ state: 'alive', pid })
  })

  test('may be alive if its process is younger than the last write', async () => {
    const pid = await start('pi', { cwd })
    expect(await find('pi', { lastWrite: Date.now() - 60_000 })).toEqual({ state: 'unknown', pid })
  })

  test('is alive if its process has the file open', async () => {
    const file = join(home, 'session.jsonl')
    writeFileSync(file, '')
    const pid = await start('qwen', { stdio: ['ignore', 'ignore', 'ignore'] })
    expect(await find('qwen', { file })).toEqual({ state: 'gone' })
    const holder = spawn('sh', ['-c', `exec ${join(home, 'qwen')} 300 3<"$0"`, file])
    children.push(holder)
    await once(holder, 'spawn')
    await expect.poll(() => find('qwen', { file })).toEqual({ state: 'alive', pid: holder.pid })
    expect(pid).not.toBe(holder.pid)
  })

  test('is unknown if its directory is gone', async () => {
    expect(await find('gemini', { cwd: join(home, 'no-such') })).toEqual({ state: 'unknown' })
    expect(await find('no-such-agent')).toEqual({ state: 'unknown' })
  })
})

import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { StopSignal } from '../../src/agents/agent.ts'
import { startProcess } from '../../src/process/spawn.ts'
import { Fault } from '../../src/shared/fault.ts'
import { eventually } from '../support/eventually.ts'

const start = async (script: string, onText: (text: string) => void = () => {}) => {
  let text = ''
  const started = await startProcess({
    program: 'bash',
    args: ['-c', script],
    cwd: '/',
    onChunk(chunk) {
      text += Buffer.from(chunk).toString('utf8')
      onText(text)
    },
  })
  return { ...started, text: () => text }
}

/** Starts a script and stops it as soon as it has printed something. */
const startAndStop = async (script: string, signals: readonly StopSignal[], graceMs: number) => {
  const sent: StopSignal[] = []
  const { promise: printed, resolve } = Promise.withResolvers<void>()
  const child = await start(script, (text) => text.endsWith('\n') && resolve())
  await printed
  await child.stop({ signals, graceMs, onSignal: (signal) => sent.push(signal) })
  return { exit: await child.done, sent, text: child.text() }
}

const isRunning = (pid: string) =>
  existsSync(`/proc/${pid}/stat`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))

test('all output is read, however long, and the exit code is reported', async () => {
  const child = await start('seq 1 300000; echo to-stderr >&2; exit 3')
  expect(await child.done).toEqual({ code: 3, signal: null })
  expect(child.text().split('\n')).toHaveLength(300_001)
  expect(child.stderr()).toBe('to-stderr')
})

test('a paused process blocks in its output, and nothing is lost when it is resumed', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-process-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const written = join(directory, 'written')
  const child = await start(
    `for i in {1..400}; do printf '%10000s'; echo $i >> '${written}'; done; exec sleep 60`,
  )
  child.pause()
  const count = () => (existsSync(written) ? readFileSync(written, 'latin1').split('\n').length : 0)
  let before = -1
  // It has filled the pipe when it makes no more progress.
  await eventually(() => {
    const now = count()
    const isStuck = now > 1 && now === before
    before = now
    expect(isStuck).toBe(true)
  })
  expect(count()).toBeLessThan(400)
  const read = child.text().length
  child.resume()
  await eventually(() => expect(child.text()).toHaveLength(400 * 10_000))
  expect(read).toBeLessThan(400 * 10_000)
  child.kill()
  await child.done
})

test('what a paused process has printed before its end is read', async () => {
  const child = await start(`head -c 60000 /dev/zero`)
  child.pause()
  expect(await child.done).toEqual({ code: 0, signal: null })
  expect(child.text()).toHaveLength(60_000)
})

test('a process that was left behind does not delay `done` when its output is paused', async () => {
  let text = ''
  const flood = await startProcess({
    program: 'bash',
    args: ['-c', `setsid bash -c 'while :; do printf %9999s; done' & echo $!`],
    cwd: '/',
    onChunk(chunk) {
      text ||= Buffer.from(chunk).toString('utf8')
      flood.pause()
    },
  })
  onTestFinished(() => void process.kill(Number.parseInt(text, 10), 'SIGKILL'))
  expect(await flood.done).toEqual({ code: 0, signal: null })
})

test('only the end of stderr is kept', async () => {
  const child = await start('seq 1 200000 >&2')
  await child.done
  expect(child.stderr().length).toBeLessThanOrEqual(8 * 1024)
  expect(child.stderr()).toMatch(/199999\n200000$/)
})

test('no further signal is sent once the process has ended', async () => {
  const { exit, sent } = await startAndStop(
    'echo up; sleep 60',
    ['SIGINT', 'SIGTERM', 'SIGKILL'],
    5000,
  )
  expect(sent).toEqual(['SIGINT'])
  expect(exit.signal).toBe('SIGINT')
})

test('a process that ignores SIGINT and SIGTERM is killed', async () => {
  const stubborn = `trap '' INT TERM; echo up; while :; do sleep 1; done`
  const { exit, sent } = await startAndStop(stubborn, ['SIGINT', 'SIGTERM', 'SIGKILL'], 100)
  expect(sent).toEqual(['SIGINT', 'SIGTERM', 'SIGKILL'])
  expect(exit.signal).toBe('SIGKILL')
})

test('a tool in a session of its own is killed too', async () => {
  const { text } = await startAndStop('setsid sleep 60 & echo $!; wait', ['SIGKILL'], 100)
  await eventually(() => expect(isRunning(text.trim())).toBe(false))
})

/**
 * A script that leaves a process behind, with the output of its parent. Nothing identifies that process
 * any more: not its parent, its session, its environment or its limits.
 */
const leavingUnknown = (directory: string, work: string): string => {
  const pidFile = join(directory, 'pid')
  const unmark = 'ulimit -S -x unlimited; ulimit -H -x unlimited 2>/dev/null'
  const helper = `${unmark}; echo $$ > '${pidFile}'; ${work}`
  return `(env -i setsid bash -c "${helper.replaceAll('$', '\\$')}" &); until [ -s '${pidFile}' ]; do sleep 0.05; done`
}

const startLeavingUnknown = async (work: string) => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-process-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const child = await start(leavingUnknown(directory, work.replaceAll('DIR', directory)))
  const exit = await child.done
  const pid = Number(readFileSync(join(directory, 'pid'), 'utf8'))
  onTestFinished(() => void process.kill(pid, 'SIGKILL'))
  return { child, exit, directory }
}

const openPipes = () =>
  process.getActiveResourcesInfo().filter((name) => name === 'PipeWrap').length

test('a leftover process that keeps the pipe open does not delay `done`, nor the exit', async () => {
  const before = openPipes()
  const { exit } = await startLeavingUnknown('sleep 60')
  expect(exit).toEqual({ code: 0, signal: null })
  await eventually(() => expect(openPipes()).toBeLessThanOrEqual(before))
})

test('a leftover process that prints for ever does not either, and its output is ignored', async () => {
  const before = openPipes()
  const loop = `trap '' PIPE; while :; do echo noise; echo >> DIR/printed; sleep 0.05; done`
  const { child, exit, directory } = await startLeavingUnknown(loop)
  expect(exit).toEqual({ code: 0, signal: null })
  const output = child.text()
  const printed = join(directory, 'printed')
  const size = statSync(printed).size
  await eventually(() => expect(statSync(printed).size).toBeGreaterThan(size + 3))
  expect(child.text()).toBe(output)
  await eventually(() => expect(openPipes()).toBeLessThanOrEqual(before))
})

test('a process that was left behind is killed, in any session and without an environment', async () => {
  const child = await start('env -i setsid sleep 60 & echo $!; (env -i setsid sleep 60 & echo $!)')
  await child.done
  const pids = child.text().trim().split('\n')
  expect(pids).toHaveLength(2)
  for (const pid of pids) await eventually(() => expect(isRunning(pid)).toBe(false))
})

test.each([
  ['a program that does not exist', { program: '/no/such/agent', cwd: '/' }, 'agent_not_found'],
  ['a program that cannot be run', { program: '/etc', cwd: '/' }, 'agent_not_started'],
  [
    'a directory that does not exist',
    { program: 'bash', cwd: '/no/such/directory' },
    'cwd_not_found',
  ],
])('%s is a fault with its own code', async (_, options, code) => {
  const failed = startProcess({ ...options, args: [], onChunk() {} })
  await expect(failed).rejects.toThrow(Fault)
  await expect(failed).rejects.toMatchObject({ code })
})

import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { StopSignal } from '../../src/agents/agent.ts'
import { startProcess } from '../../src/process/spawn.ts'
import { Fault } from '../../src/shared/fault.ts'
import { patiently } from '../support/patiently.ts'

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
const stopOnce = async (script: string, signals: readonly StopSignal[], graceMs: number) => {
  const stages: StopSignal[] = []
  const { promise: printed, resolve } = Promise.withResolvers<void>()
  const child = await start(script, (text) => text.endsWith('\n') && resolve())
  await printed
  await child.stop({ signals, graceMs, onStage: (signal) => stages.push(signal) })
  return { exit: await child.done, stages, text: child.text() }
}

const isRunning = (pid: string) =>
  existsSync(`/proc/${pid}/stat`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))

test('reads everything, however much, and tells how it ended', async () => {
  const child = await start('seq 1 300000; echo to-stderr >&2; exit 3')
  expect(await child.done).toEqual({ code: 3, signal: null })
  expect(child.text().split('\n')).toHaveLength(300_001)
  expect(child.stderr()).toBe('to-stderr')
})

test('stderr is kept as a bounded tail', async () => {
  const child = await start('seq 1 200000 >&2')
  await child.done
  expect(child.stderr().length).toBeLessThanOrEqual(8 * 1024)
  expect(child.stderr()).toMatch(/199999\n200000$/)
})

test('the ladder climbs only as far as it must', async () => {
  const { exit, stages } = await stopOnce(
    'echo up; sleep 60',
    ['SIGINT', 'SIGTERM', 'SIGKILL'],
    5000,
  )
  expect(stages).toEqual(['SIGINT'])
  expect(exit.signal).toBe('SIGINT')
})

test('what ignores the mild signals is killed', async () => {
  const stubborn = `trap '' INT TERM; echo up; while :; do sleep 1; done`
  const { exit, stages } = await stopOnce(stubborn, ['SIGINT', 'SIGTERM', 'SIGKILL'], 100)
  expect(stages).toEqual(['SIGINT', 'SIGTERM', 'SIGKILL'])
  expect(exit.signal).toBe('SIGKILL')
})

test('a tool in a session of its own is ended too', async () => {
  const { text } = await stopOnce('setsid sleep 60 & echo $!; wait', ['SIGKILL'], 100)
  await patiently(() => expect(isRunning(text.trim())).toBe(false))
})

test('something left behind that holds the pipe does not hold us', async () => {
  const child = await start('setsid sleep 60 & echo $!')
  const { code } = await child.done
  expect(code).toBe(0)
  process.kill(Number(child.text()), 'SIGKILL')
})

test('nor does something that prints for ever, and nobody hears it any more', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-process-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const printed = join(directory, 'printed')
  const loop = `while :; do echo noise; echo >> '${printed}'; sleep 0.05; done`
  const child = await start(`setsid bash -c "${loop}" & echo $!`)
  onTestFinished(() => void process.kill(Number.parseInt(child.text(), 10), 'SIGKILL'))
  expect(await child.done).toEqual({ code: 0, signal: null })
  const heard = child.text()
  const before = statSync(printed).size
  await patiently(() => expect(statSync(printed).size).toBeGreaterThan(before + 3))
  expect(child.text()).toBe(heard)
})

test.each([
  ['no such program', { program: '/no/such/agent', cwd: '/' }, 'agent_not_found'],
  ['what cannot be run', { program: '/etc', cwd: '/' }, 'agent_not_started'],
  ['no such directory', { program: 'bash', cwd: '/no/such/place' }, 'cwd_not_found'],
])('%s is a fault with a code', async (_, options, code) => {
  const failed = startProcess({ ...options, args: [], onChunk() {} })
  await expect(failed).rejects.toThrow(Fault)
  await expect(failed).rejects.toMatchObject({ code })
})

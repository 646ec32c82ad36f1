import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { killOrphans } from '../../src/process/orphans.ts'
import { markVariable } from '../../src/process/proc.ts'
import { markedCall, markKeyOf, newMark, newMarkKey } from '../../src/process/process-marks.ts'
import { processTable } from '../../src/process/process-table.ts'
import { dataDirectory } from '../support/demo-sessions.ts'
import { eventually } from '../support/eventually.ts'

const none = new Map<number, number>()
const startTimeOf = (pid: number) => processTable.startTimeOf(pid)

/** Starts a marked process that runs until it is killed, and a child of it. */
const startWithChild = async (key = newMarkKey()) => {
  const shell = { program: 'sh', args: ['-c', 'sleep 600 & echo $!; wait'] }
  const { program, args } = markedCall(shell, newMark(key))
  const parent = spawn(program, args)
  onTestFinished(() => void parent.kill('SIGKILL'))
  const [line] = await once(parent.stdout, 'data')
  const { pid = 0 } = parent
  const childPid = Number(line)
  const isRunning = () => startTimeOf(pid) !== undefined && startTimeOf(childPid) !== undefined
  return { pid, childPid, isRunning, exited: once(parent, 'exit') }
}

test('an agent that outlived its server is killed with its child processes', async () => {
  const { pid, childPid, exited } = await startWithChild()
  expect(await killOrphans({ agents: new Map([[pid, startTimeOf(pid) ?? 0]]) })).toEqual([])
  await exited
  expect(startTimeOf(childPid)).toBeUndefined()
})

test('another process that has the pid of the agent by now is left alone', async () => {
  const { pid, isRunning, exited } = await startWithChild()
  const startedAt = startTimeOf(pid) ?? 0
  await killOrphans({ agents: new Map([[pid, startedAt - 2]]) })
  expect(isRunning()).toBe(true)
  await killOrphans({ agents: new Map([[pid, startedAt]]) })
  await exited
})

test('a process without a mark is left alone: after a reboot, pid and start time can repeat', async () => {
  const other = spawn('sleep', ['600'])
  const { pid = 0 } = other
  await once(other, 'spawn')
  const startedAt = startTimeOf(pid) ?? 0
  await killOrphans({ agents: new Map([[pid, startedAt]]) })
  expect(startTimeOf(pid)).toBe(startedAt)
  other.kill()
  await once(other, 'exit')
})

test('everything with a mark of the data directory is killed, and nothing else', async () => {
  const [directory, copy] = [dataDirectory(), dataDirectory()]
  const ours = await startWithChild(markKeyOf(directory))
  const others = await startWithChild(markKeyOf(copy))
  await killOrphans({ markKey: markKeyOf(directory), agents: none })
  await ours.exited
  expect(startTimeOf(ours.childPid)).toBeUndefined()
  expect(others.isRunning()).toBe(true)
  await killOrphans({ markKey: markKeyOf(copy), agents: none })
  await others.exited
})

test('the server of a copied data directory leaves the agents of the original alone', async () => {
  const [directory, copy] = [dataDirectory(), dataDirectory()]
  const agent = await startWithChild(markKeyOf(directory))
  const agents = new Map([[agent.pid, startTimeOf(agent.pid) ?? 0]])
  await killOrphans({ markKey: markKeyOf(copy), agents })
  expect(agent.isRunning()).toBe(true)
  await killOrphans({ markKey: markKeyOf(directory), agents })
  await agent.exited
})

const isLinux = process.platform === 'linux'

test.skipIf(!isLinux)('a limit that somebody else has set is no mark, and hides none', async () => {
  const key = newMarkKey()
  const limited = ['-c', 'ulimit -w 100 2>/dev/null || ulimit -x 100; exec sleep 600']
  const start = async (env: NodeJS.ProcessEnv) => {
    const child = spawn('sh', limited, { env: { ...process.env, ...env } })
    onTestFinished(() => void child.kill('SIGKILL'))
    const { pid = 0 } = child
    await eventually(() => expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).toMatch(/^sleep/))
    return { pid, exited: once(child, 'exit') }
  }
  const agent = await start({ [markVariable]: `${newMark(key)}` })
  const other = await start({})
  await killOrphans({ markKey: key, agents: none })
  await agent.exited
  const agents = new Map([[other.pid, startTimeOf(other.pid) ?? 0]])
  await killOrphans({ agents })
  expect(startTimeOf(other.pid)).toBe(agents.get(other.pid))
})

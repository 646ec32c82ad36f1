import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { isRefusal } from '../../src/agents/workspace.ts'
import { hasProc } from '../../src/process/process-table.ts'
import { openWorkspace, type WorkspaceOptions } from '../../src/workspace/open-workspace.ts'
import { eventually } from '../support/eventually.ts'

let cwd: string
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'sluice-terminals-'))
})
afterEach(() => rmSync(cwd, { recursive: true }))

/** A workspace whose agent is the test. */
const open = (options: Partial<WorkspaceOptions> = {}) => {
  const ended = Promise.withResolvers<{ code: number; signal: null }>()
  const workspace = openWorkspace({
    ...{ agent: {}, env: process.env, ownEnv: {}, cwd, directories: [] },
    whenWritten: async () => {},
    ...options,
  })
  let isFrozen = false
  const agent = workspace.join({
    done: ended.promise,
    freezer: {
      freeze() {
        isFrozen = true
      },
      unfreeze() {
        isFrozen = false
      },
      isFrozen: () => isFrozen,
    },
  })
  const start = async (command: string) => {
    const started = await workspace.startCommand({ command, cwd, env: {}, outputLimit: undefined })
    if (isRefusal(started)) throw new Error(started.refusal)
    return started
  }
  const end = async () => {
    ended.resolve({ code: 0, signal: null })
    await agent.done
  }
  return { workspace, agent, start, end }
}

/** A sandbox that writes down the variables which it started with. */
const outerEnvironment = {
  info: { mode: 'on' },
  wrap: ({ program, args }: { program: string; args: readonly string[] }) => ({
    program: '/bin/sh',
    args: ['-c', `env > '${cwd}/outer'; exec "$@" >&3`, 'sh', program, ...args],
  }),
} as const

test('variables of a command are set inside the sandbox, and change none of Sluice', async () => {
  const { workspace, end } = open({ sandbox: outerEnvironment, ownEnv: { OWN: 'sluice' } })
  const terminal = await workspace.startCommand({
    ...{ command: 'echo "$PLANTED,$OWN,$SLUICE_TOKEN"', cwd, outputLimit: undefined },
    env: { PLANTED: "it's here", OWN: 'agent', SLUICE_TOKEN: 'agent' },
  })
  if (isRefusal(terminal)) throw new Error(terminal.refusal)
  await terminal.done
  expect(terminal.output().text).toBe("it's here,sluice,\n")
  expect(readFileSync(join(cwd, 'outer'), 'utf8')).not.toContain('PLANTED')
  await end()
})

test('a strict sandbox keeps to the project, whatever directory a command starts in', async () => {
  const projects: unknown[] = []
  const wrap: (typeof outerEnvironment)['wrap'] = (call) => {
    projects.push('project' in call && call.project)
    return outerEnvironment.wrap(call)
  }
  const { workspace, end } = open({ sandbox: { ...outerEnvironment, wrap } })
  const below = join(cwd, 'below')
  mkdirSync(below)
  await workspace.startCommand({ command: 'pwd', cwd: below, env: {}, outputLimit: undefined })
  expect(projects).toEqual([cwd])
  await end()
})

/** The state of the process that wrote its pid, such as `T` for stopped. */
const stateOf = (file: string) => {
  const pid = readFileSync(join(cwd, file), 'utf8').trim()
  return /\) (\w)/.exec(readFileSync(`/proc/${pid}/stat`, 'latin1'))?.[1]
}

test.skipIf(!hasProc)(
  'commands are frozen with the agent, also those that start then',
  async () => {
    const { agent, start, end } = open()
    await start('echo $$ > one; while :; do :; done')
    await eventually(() => expect(stateOf('one')).toBe('R'))
    agent.freezer.freeze()
    expect(agent.freezer.isFrozen()).toBe(true)
    await eventually(() => expect(stateOf('one')).toBe('T'))
    const second = await start('echo done')
    agent.freezer.unfreeze()
    await eventually(() => expect(stateOf('one')).toBe('R'))
    await second.done
    expect(second.output().text).toBe('done\n')
    await end()
  },
)

test('the end of the agent ends its commands, and no more start', async () => {
  const { workspace, start, end } = open()
  const terminal = await start('sleep 300')
  await end()
  expect(terminal.output().exit).toMatchObject({ signal: 'SIGKILL' })
  const request = { command: 'true', cwd, env: {}, outputLimit: undefined }
  expect(await workspace.startCommand(request)).toMatchObject({ kind: 'failed' })
})

test('a command that ignores SIGTERM is killed', async () => {
  const { start, end } = open()
  const terminal = await start('trap "" TERM; echo ready; while :; do sleep 0.1; done')
  await eventually(() => expect(terminal.output().text).toBe('ready\n'))
  terminal.kill()
  expect(await terminal.done).toMatchObject({ signal: 'SIGKILL' })
  await end()
})

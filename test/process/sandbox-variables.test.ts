import {
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isRefusal } from '../../src/agents/workspace.ts'
import { openSandbox, type SandboxMode } from '../../src/process/sandbox.ts'
import { startProcess } from '../../src/process/spawn.ts'
import { openWorkspace } from '../../src/workspace/open-workspace.ts'
import { findBubblewrap } from '../support/bubblewrap.ts'

const bubblewrap = await findBubblewrap()
if (bubblewrap.reason !== undefined) console.log(`skipped: sandbox variables: ${bubblewrap.reason}`)

/** The environment of a project’s agent comes from a file of the project. */
describe.skipIf(bubblewrap.reason !== undefined)('variables of an agent of a project', () => {
  let project = ''
  beforeEach(() => {
    project = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-variables-')))
  })
  afterEach(() => rmSync(project, { recursive: true, force: true }))

  const open = (mode: SandboxMode = 'on') =>
    openSandbox({ mode, hidden: [], env: { PATH: bubblewrap.path } })

  const start = async (setEnv: Record<string, string>, script: string, mode?: SandboxMode) => {
    let text = ''
    const printed = Promise.withResolvers<void>()
    const child = await startProcess({
      ...{ program: '/bin/sh', args: ['-c', script], cwd: project, stdin: true },
      sandbox: await open(mode),
      agent: { setEnv },
      onChunk(chunk) {
        text += Buffer.from(chunk).toString('utf8')
        printed.resolve()
      },
    })
    return { ...child, printed: printed.promise, text: () => text }
  }

  test.each(['on', 'project'] as const)('reach the agent, in mode %s', async (mode) => {
    const odd = `it's "here"\n--bind / /`
    const child = await start(
      { PLANTED: odd, EMPTY: '', SLUICE_TOKEN: 'planted' },
      'printf "%s|%s|%s" "$PLANTED" "$EMPTY" "$SLUICE_TOKEN"',
      mode,
    )
    expect(await child.done).toEqual({ code: 0, signal: null })
    expect(child.text()).toBe(`${odd}||`)
  })

  test('are neither in the environment nor among the arguments of bubblewrap', async () => {
    const child = await start({ PLANTED: 'secret-value' }, 'echo ready; read -r end')
    await child.printed
    // The shell that set the mark has become bubblewrap.
    const outer = ['comm', 'environ', 'cmdline'].map((name) =>
      readFileSync(`/proc/${child.pid}/${name}`, 'utf8'),
    )
    expect(outer[0]).toBe('bwrap\n')
    expect(outer.join()).not.toMatch(/PLANTED|secret-value/)
    child.closeInput()
    await child.done
  })

  test('load no code into bubblewrap', async () => {
    const traces = join(project, 'loader')
    const child = await start({ LD_DEBUG: 'files', LD_DEBUG_OUTPUT: traces }, 'env true')
    await child.done
    const started = globSync(`${traces}.*`).flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/initialize program: (\S+)/g)].map(
        ([, name]) => name,
      ),
    )
    expect(started).toContain('env')
    expect(started.filter((name) => name?.includes('bwrap'))).toEqual([])
  })

  test('with another PATH, the same bubblewrap starts', async () => {
    const planted = join(project, 'bin')
    mkdirSync(planted)
    for (const name of ['bwrap', 'sh'])
      writeFileSync(join(planted, name), `#!/bin/sh\ntouch ${project}/ran\n`, { mode: 0o755 })
    const path = [planted, process.env.PATH ?? ''].join(delimiter)
    const child = await start({ PATH: path }, 'echo "$PATH"; echo "$$"')
    expect(await child.done).toEqual({ code: 0, signal: null })
    // In the processes of the sandbox, the first one is bubblewrap.
    expect(child.text()).toBe(`${path}\n2\n`)
    expect(globSync(join(project, 'ran'))).toEqual([])
  })

  test('that hold a NUL, where flags of bubblewrap could follow, start nothing', async () => {
    const planted = start({ PLANTED: 'a\0--bind\0/\0/' }, 'true')
    await expect(planted).rejects.toThrow('A variable contains a NUL.')
  })

  test('also reach the commands that the agent runs through Sluice', async () => {
    const workspace = openWorkspace({
      ...{ env: process.env, ownEnv: {}, cwd: project, directories: [] },
      agent: { setEnv: { PLANTED: 'here' } },
      sandbox: await open(),
      whenWritten: async () => {},
    })
    const terminal = await workspace.startCommand({
      ...{ command: 'echo "$PLANTED"', cwd: project, env: {}, outputLimit: undefined },
    })
    if (isRefusal(terminal)) return expect.unreachable(terminal.refusal)
    await terminal.done
    expect(terminal.output().text).toBe('here\n')
  })
})

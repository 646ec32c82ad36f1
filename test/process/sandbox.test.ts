import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { StopSignal } from '../../src/agents/agent.ts'
import { processTable } from '../../src/process/process-table.ts'
import { openSandbox, type Sandbox, type SandboxMode } from '../../src/process/sandbox.ts'
import { startProcess } from '../../src/process/spawn.ts'
import { findBubblewrap } from '../support/bubblewrap.ts'
import { eventually } from '../support/eventually.ts'
import { root } from '../support/sluice.ts'

const bubblewrap = await findBubblewrap()
if (bubblewrap.reason !== undefined) console.log(`skipped: sandbox: ${bubblewrap.reason}`)

describe.skipIf(bubblewrap.reason !== undefined)('a program in the sandbox', () => {
  let directory = ''
  let data = ''
  let project = ''
  beforeEach(() => {
    directory = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-box-')))
    data = join(directory, 'data')
    project = join(directory, 'project')
    for (const each of [data, project]) mkdirSync(each)
    writeFileSync(join(data, 'sluice.db'), 'secret')
  })
  afterEach(() => rmSync(directory, { recursive: true, force: true }))

  const open = (mode: SandboxMode = 'on', hidden = [data]): Promise<Sandbox> =>
    openSandbox({ mode, hidden, env: { PATH: bubblewrap.path } })

  const start = async (script: string, sandbox?: Sandbox, directories: string[] = []) => {
    let text = ''
    const { promise: printed, resolve } = Promise.withResolvers<void>()
    const started = await startProcess({
      program: 'bash',
      args: ['-c', script],
      cwd: project,
      directories,
      sandbox: sandbox ?? (await open()),
      onChunk(chunk) {
        text += Buffer.from(chunk).toString('utf8')
        resolve()
      },
    })
    return { ...started, printed, text: () => text }
  }

  const run = async (script: string, sandbox?: Sandbox, directories: string[] = []) => {
    const child = await start(script, sandbox, directories)
    const exit = await child.done
    return { ...exit, stdout: child.text(), stderr: child.stderr() }
  }

  test('is seen to close its output, although bubblewrap lives on', async () => {
    const child = await start('echo last words; exec >&-; sleep 1000')
    await child.stdoutClosed
    expect(child.text()).toBe('last words\n')
    child.kill()
    await child.done
  })

  test('works in its project as without one: files, pipes, exit code', async () => {
    const { code, stdout, stderr } = await run('echo made > file; pwd; echo oh >&2; exit 7')
    expect({ code, stdout, stderr }).toEqual({ code: 7, stdout: `${project}\n`, stderr: 'oh' })
    expect(readFileSync(join(project, 'file'), 'utf8')).toBe('made\n')
  })

  test('sees an empty data directory, which it cannot write', async () => {
    const { stdout, stderr } = await run(
      `cat '${data}/sluice.db'; ls -A '${data}'; touch '${data}/x'`,
    )
    expect(stdout).toBe('')
    expect(stderr).toContain('No such file')
    expect(stderr).toContain('Read-only')
    expect(existsSync(join(data, 'x'))).toBe(false)
  })

  test('cannot get at the data directory by a link, or by unmounting what covers it', async () => {
    const link = join(directory, 'link')
    symlinkSync(data, link)
    const sandbox = await open('on', [link])
    const { stdout } = await run(
      `cat '${link}/sluice.db' '${data}/sluice.db'; umount '${data}'; cat '${data}/sluice.db'
      unshare -Urm sh -c "umount '${data}'; cat '${data}/sluice.db'; mkdir -p '${project}/m'
        mount --bind '${directory}' '${project}/m'; cat '${project}/m/data/sluice.db'"
      mv '${directory}' '${directory}-moved'; cat '${directory}-moved/data/sluice.db'
      mv '${directory}-moved' '${directory}'`,
      sandbox,
    )
    expect(stdout).toBe('')
  })

  test('cannot put data of its own in the place of the data directory', async () => {
    const above = join(directory, 'a/b')
    const inside = join(above, 'data')
    mkdirSync(inside, { recursive: true })
    writeFileSync(join(inside, 'policies.json'), 'ours')
    const { stderr } = await run(
      `for each in '${above}' '${directory}/a' '${directory}'; do
        mv "$each" "$each-moved"; mkdir -p '${inside}'; echo theirs > '${inside}/policies.json'
      done`,
      await open('on', [inside]),
    )
    expect(stderr.match(/cannot move/g)).toHaveLength(3)
    expect(readFileSync(join(inside, 'policies.json'), 'utf8')).toBe('ours')
  })

  test('cannot read a hidden file, nor put one of its own in its place', async () => {
    const keys = join(directory, 'keys')
    mkdirSync(keys)
    const seed = join(keys, 'a.nk')
    writeFileSync(seed, 'secret')
    const { stdout, stderr } = await run(
      `cat '${seed}'; echo theirs > '${seed}'; mv '${seed}' '${keys}/b'; rm '${seed}'
      mv '${keys}' '${keys}-moved'; cat '${keys}-moved/a.nk'; ls '${keys}'`,
      await open('on', [data, seed]),
    )
    expect(stdout).toBe('a.nk\n')
    expect(stderr).toContain('cannot move')
    expect(readFileSync(seed, 'utf8')).toBe('secret')
  })

  test('does not see the server’s process, and cannot signal it', async () => {
    const { pid } = process
    const { stdout, stderr } = await run(`ls /proc; kill -0 ${pid} && echo reached`)
    expect(stdout.split('\n')).not.toContain(String(pid))
    expect(stdout).not.toContain('reached')
    expect(stderr).toContain('No such process')
  })

  test('does not see the profile of a browser, nor the socket of a terminal multiplexer', async () => {
    const profile = join(directory, '.config/chromium')
    mkdirSync(profile, { recursive: true })
    writeFileSync(join(profile, 'Cookies'), 'secret')
    const tmux = join(directory, `tmux-${process.getuid?.()}`)
    mkdirSync(tmux)
    writeFileSync(join(tmux, 'default'), '')
    const before = { ...process.env }
    Object.assign(process.env, { HOME: directory, TMUX_TMPDIR: directory })
    try {
      const { stdout } = await run(`ls -A '${profile}' '${tmux}' | grep -v :`)
      expect(stdout.trim()).toBe('')
    } finally {
      process.env.HOME = before.HOME
      if (before.TMUX_TMPDIR === undefined) delete process.env.TMUX_TMPDIR
      else process.env.TMUX_TMPDIR = before.TMUX_TMPDIR
    }
  })

  test('does not see sockets in the runtime directory that run commands', async () => {
    const runtime = join(directory, 'runtime')
    const names = ['systemd', 'zellij', 'wezterm', 'nvim.1234.0', 'sway-ipc.0.1.sock', 'hypr']
    for (const name of names) {
      mkdirSync(join(runtime, name), { recursive: true })
      writeFileSync(join(runtime, name, 'socket'), '')
    }
    vi.stubEnv('XDG_RUNTIME_DIR', runtime)
    onTestFinished(() => void vi.unstubAllEnvs())
    expect((await run(`find '${runtime}' -name socket`)).stdout).toBe('')
  })

  test('can start another sandbox of its own', async () => {
    const flags = '--unshare-user --dev-bind / / --dev /dev --unshare-pid'
    const { stdout } = await run(`PATH='${bubblewrap.path}' bwrap ${flags} echo nested`)
    expect(stdout).toBe('nested\n')
  })

  test.for([
    ['SIGINT', 0],
    ['SIGTERM', 0],
  ] as const)('gets %s itself, and cleans up before it ends', async ([signal, code]) => {
    const child = await start(
      `trap 'echo cleaned > done; exit 0' ${signal.slice(3)}; echo up; while :; do sleep 0.05; done`,
    )
    await child.printed
    const sent: StopSignal[] = []
    await child.stop({ signals: [signal, 'SIGKILL'], onSignal: (each) => sent.push(each) })
    expect(await child.done).toEqual({ code, signal: null })
    expect(sent).toEqual([signal])
    expect(readFileSync(join(project, 'done'), 'utf8')).toBe('cleaned\n')
  })

  test('that a signal ended is reported with that signal', async () => {
    const child = await start('echo up; exec sleep 600')
    await child.printed
    await child.stop({ signals: ['SIGTERM'] })
    expect(await child.done).toEqual({ code: null, signal: 'SIGTERM' })
    expect(await run('kill -SEGV $$')).toMatchObject({ code: null, signal: 'SIGSEGV' })
  })

  /** Starts a process that no tag and no parent identifies: nobody finds it but the sandbox. */
  const hideAway =
    'setsid env -i sleep 600 & echo $! > /dev/null; cat /proc/self/status > /dev/null'

  test.for([
    ['stop', (child: Awaited<ReturnType<typeof start>>) => child.stop({ signals: ['SIGKILL'] })],
    ['kill', (child: Awaited<ReturnType<typeof start>>) => child.kill()],
  ] as const)('%s ends everything in it, also what left its parent', async ([, end]) => {
    const child = await start(`(${hideAway}); echo up; trap '' TERM INT; sleep 600`)
    await child.printed
    const inside = await processesIn(child.pid)
    expect(inside.length).toBeGreaterThanOrEqual(4)
    await end(child)
    await child.done
    for (const pid of inside)
      await eventually(() => expect(processTable.startTimeOf(pid)).toBeUndefined())
  })

  test('what it left behind ends with it', async () => {
    const child = await start(`(${hideAway}); echo up; read -r`, await open())
    await child.printed
    const inside = await processesIn(child.pid)
    await child.done
    for (const pid of inside)
      await eventually(() => expect(processTable.startTimeOf(pid)).toBeUndefined())
  })

  test('ends when its server is killed', async () => {
    const script = `
      import { openSandbox } from '${root}src/process/sandbox.ts'
      import { startProcess } from '${root}src/process/spawn.ts'
      const sandbox = await openSandbox({ mode: 'on', hidden: [] })
      const child = await startProcess({ program: 'bash', sandbox, cwd: '/', onChunk() {},
        args: ['-c', ${JSON.stringify(`trap '' TERM INT HUP; (${hideAway}); sleep 600`)}] })
      console.log(child.pid)
      setInterval(() => {}, 1000)`
    const server = spawn(process.execPath, ['--input-type=module', '-e', script], {
      env: { ...process.env, PATH: bubblewrap.path },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = await once(server.stdout, 'data')
    let inside: number[] = []
    await eventually(async () => {
      inside = await processesIn(Number(String(line)))
      expect(inside.length).toBeGreaterThanOrEqual(4)
    })
    server.kill('SIGKILL')
    for (const pid of inside)
      await eventually(() => expect(processTable.startTimeOf(pid)).toBeUndefined())
  })

  describe('in the project mode', () => {
    test('writes to its project and to a temporary directory of its own only', async () => {
      const outside = join(directory, 'outside')
      mkdirSync(outside)
      const own = `/tmp/sluice-own-${process.pid}`
      const { stdout, stderr } = await run(
        `echo in > file && echo project; echo t > ${own} && echo temporary; echo $TMPDIR
        touch '${outside}/x' || echo refused; touch /usr/x "$HOME/x" /var/tmp/../lib/x`,
        await open('project'),
      )
      expect(stdout).toBe('project\ntemporary\n/tmp\nrefused\n')
      expect(stderr.match(/cannot touch/g)).toHaveLength(4)
      expect(existsSync(own)).toBe(false)
      expect(existsSync(join(outside, 'x'))).toBe(false)
    })

    test('lets an agent write to further directories, and not to hidden ones in them', async () => {
      const further = join(directory, 'further')
      mkdirSync(further)
      const script = `echo kept > '${further}/file'; cat '${data}/sluice.db'`
      const { stdout } = await run(script, await open('project'), [further, data, '/none'])
      expect(readFileSync(join(further, 'file'), 'utf8')).toBe('kept\n')
      expect(stdout).toBe('')
    })

    test('lets an agent write its own settings', async () => {
      const settings = join(directory, 'settings')
      const child = await startProcess({
        program: 'bash',
        args: ['-c', 'echo kept > "$OWN/file"'],
        cwd: project,
        env: { ...process.env, OWN: settings },
        agent: { config: { variable: 'OWN', directories: [] } },
        sandbox: await open('project'),
        onChunk() {},
      })
      expect(await child.done).toEqual({ code: 0, signal: null })
      expect(readFileSync(join(settings, 'file'), 'utf8')).toBe('kept\n')
    })

    test('runs an agent that is installed below /tmp, with its other files', async () => {
      const program = join(directory, 'agent')
      writeFileSync(join(directory, 'library'), 'found')
      writeFileSync(program, `#!/bin/sh\ncat "$(dirname "$0")/library"\n`, { mode: 0o755 })
      let text = ''
      const child = await startProcess({
        ...{ program, args: [], cwd: project, sandbox: await open('project') },
        onChunk: (chunk) => {
          text += Buffer.from(chunk).toString('utf8')
        },
      })
      expect(await child.done).toEqual({ code: 0, signal: null })
      expect(text).toBe('found')
    })
  })
})

/** A process and everything below it. */
const processesIn = async (pid: number): Promise<number[]> => {
  const { descendantsOf } = await import('../support/descendants.ts')
  return [pid, ...descendantsOf(pid)]
}

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { listSqliteSessions, lockHolder, openSqliteLog } from '../../src/log/index.ts'
import { all } from '../log/samples.ts'
import { ofType } from '../support/decoded.ts'
import { eventually } from '../support/eventually.ts'
import { ptyMaker, startInTerminal } from '../support/pty.ts'
import { createServerDirectories, startServerProcess } from '../support/server-process.ts'
import { processesOfSession } from '../support/session-processes.ts'
import { root, sluice } from '../support/sluice.ts'

const main = join(root, 'src/cli/main.js')
const env = { ...process.env, SLUICE_DEMO_PACE: '50', NO_COLOR: '1' }

/** Whoever ends a chat ends its agent. */
describe('a chat that receives a stop signal', () => {
  let data = ''
  let cwd = ''
  beforeEach(() => {
    data = mkdtempSync(join(tmpdir(), 'sluice-end-'))
    cwd = mkdtempSync(join(tmpdir(), 'sluice-end-project-'))
  })
  afterEach(() => {
    for (const each of [data, cwd]) rmSync(each, { recursive: true, force: true })
  })

  const argv = () => [main, 'chat', 'demo', '--cwd', cwd, '--data', data]

  /** Its agent is gone, the run is closed, and the record says so. */
  const expectEnded = async () => {
    const log = await openSqliteLog(data)
    const [record] = await log.sessions.list()
    const events = await all(log.read(record?.id ?? '', 0))
    await log.close()
    expect(ofType(events, 'agent_end')).toMatchObject([{ stopReason: 'aborted' }])
    expect(record).toMatchObject({ state: 'idle' })
    expect(record?.pid).toBeUndefined()
    expect(processesOfSession(record?.id ?? '')).toEqual([])
  }

  test.for([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('by %s stops its agent first', async ([signal, code]) => {
    const child = spawn(process.execPath, argv(), { env, stdio: 'pipe' })
    const exited = once(child, 'exit')
    let isTold = false
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (text.includes('Markdown') && !isTold) isTold = child.kill(signal)
    })
    child.stdin.end('long\n')
    expect(await exited).toEqual([code, null])
    await expectEnded()
  })

  test.skipIf(ptyMaker.reason !== undefined)('ends when its window is closed', async () => {
    const terminal = startInTerminal([process.execPath, ...argv()], { cwd: data, env })
    await terminal.shows('› ')
    terminal.type('long\r')
    await terminal.shows('Markdown')
    const [{ state } = {}] = await listSqliteSessions(data)
    expect(state).toBe('running')
    terminal.kill() // the window, not the chat
    await eventually(() => expect(lockHolder(data)).toBeUndefined())
    await expectEnded()
  })

  test.skipIf(ptyMaker.reason !== undefined)('ends on Ctrl-C after Ctrl-D', async () => {
    const terminal = startInTerminal([process.execPath, ...argv()], { cwd: data, env })
    await terminal.shows('› ')
    terminal.type('long\r')
    await terminal.shows('Markdown')
    terminal.type('\x04')
    await terminal.shows('Ctrl-C stops the run.')
    terminal.type('\x03')
    expect(await terminal.ended).toBe(130)
    await expectEnded()
  })
})

describe('a closed terminal window', () => {
  test('stops a run', async () => {
    let isTold = false
    const ran = await sluice(['run', 'demo', 'long'], {
      env,
      onStdout(child, stdout) {
        if (stdout.includes('Markdown') && !isTold) isTold = child.kill('SIGHUP')
      },
    })
    expect(ran.code).toBe(129)
    expect(ran.stderr).toContain('stopping')
  })

  test('stops a server gracefully', async () => {
    const directories = createServerDirectories()
    const server = await startServerProcess(directories)
    expect(await server.stop('SIGHUP')).toBe(0)
    expect(lockHolder(directories.data)).toBeUndefined()
    directories.remove()
  })
})

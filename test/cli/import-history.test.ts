import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { writeHistory } from '../../bench/import/history.ts'
import { listSqliteSessions, openSqliteLog } from '../../src/log/sqlite/sqlite-log.ts'
import { root, sluice } from '../support/sluice.ts'
import { rounded, usedIn } from '../watch/generated.ts'

const directory = mkdtempSync(join(tmpdir(), 'sluice-import-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))
const data = join(directory, 'data')
const home = join(directory, 'home')
mkdirSync(home)
const env = { ...process.env, HOME: home, CLAUDE_CONFIG_DIR: join(home, 'claude') }

const importFrom = (path: string) =>
  sluice(['import', 'claude', '--path', path, '--data', data], { env })

test('a path that cannot be read is named, with the reason', async () => {
  const file = join(directory, 'file')
  writeFileSync(file, '')
  expect(await importFrom(join(directory, 'missing'))).toMatchObject({
    code: 2,
    stderr: `sluice: Cannot read ${directory}/missing: no such file or directory.\n`,
  })
  expect(await importFrom(file)).toMatchObject({
    code: 2,
    stderr: `sluice: ${file} is not a directory.\n`,
  })
})

test('a name that is no agent and no file, and a directory without its agent, say what to do', async () => {
  const imported = (name: string) => sluice(['import', name, '--data', data], { env })
  expect(await imported('klaude')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/There is no file klaude\. Agents: claude, pi, .*opencode\.\n$/),
  })
  expect(await imported(home)).toMatchObject({
    code: 2,
    stderr: `sluice: ${home} is a directory. To read the sessions in it, name their agent: sluice import claude --path ${home}\n`,
  })
})

test('a directory without sessions, and a home without agents', async () => {
  expect(await importFrom(home)).toEqual({
    ...{ code: 0, stderr: '' },
    stdout: `claude   no sessions  ${home}\n`,
  })
  expect(await sluice(['import', 'claude', '--data', data], { env })).toMatchObject({
    code: 0,
    stdout:
      'None of these agents has stored sessions here. To read those of another home, use --path.\n',
  })
})

test('Ctrl-C ends an import in order, SIGKILL at once, and the same command continues', async () => {
  const history = writeHistory({ directory: join(home, 'claude'), bytes: 60_000_000 })
  const args = [join(root, 'src/cli/main.js'), 'import', 'claude', '--data', data]
  const stopAfter = async (signal: NodeJS.Signals, sessions: number) => {
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
    let printed = ''
    child.stdout.on('data', (text) => (printed += text))
    child.stderr.on('data', (text) => (printed += text))
    const closed = once(child, 'close')
    await vi.waitFor(
      async () => {
        const found = (await listSqliteSessions(data)).length
        if (child.exitCode === null) expect(found).toBeGreaterThan(sessions)
      },
      { timeout: 60_000, interval: 50 },
    )
    child.kill(signal)
    const [code] = await closed
    return { code, printed }
  }
  const killed = await stopAfter('SIGKILL', 5)
  expect(killed).toEqual({ code: null, printed: '' })
  const stopped = await stopAfter('SIGINT', 40)
  expect(stopped.code).toBe(130)
  expect(stopped.printed).toContain(
    'Stopped. What was read is stored. To continue, run the same command again.',
  )
  const rest = await sluice(args.slice(1), { env })
  expect(rest).toMatchObject({ code: 0, stderr: '' })
  const again = await sluice(args.slice(1), { env })
  expect(again.stdout).toContain(`read 0 sessions (0.0 KB), ${history.sessions} already imported`)
  const log = await openSqliteLog(data)
  expect(await usedIn(log)).toEqual(rounded(history.served))
  await log.close()
}, 180_000)

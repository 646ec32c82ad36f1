import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { storedSessions } from '../../src/cli/find-session.ts'
import { lastSessionIn } from '../../src/cli/last-session.ts'
import { session, temporaryDirectory } from '../log/samples.ts'
import { ptyMaker, startInTerminal } from '../support/pty.ts'
import { root, sluice } from '../support/sluice.ts'

const loopId = 'l1'
const imported = { at: 1 }
const sessions = [
  { ...session('old', { cwd: '/a', lastActivity: 10 }), imported: undefined },
  { ...session('new', { cwd: '/a', lastActivity: 20 }), imported: undefined },
  { ...session('claude', { cwd: '/a', agent: 'claude', lastActivity: 15 }), imported: undefined },
  { ...session('elsewhere', { cwd: '/b', lastActivity: 99 }), imported: undefined },
  { ...session('loop', { cwd: '/a', lastActivity: 99 }), imported: undefined, loopId },
  { ...session('imported', { cwd: '/a', lastActivity: 99 }), imported },
]

test('the session of the directory that was used last, without loops and imported ones', () => {
  expect(lastSessionIn(sessions, { cwd: '/a' }).id).toBe('new')
  expect(lastSessionIn(sessions, { cwd: '/a', agent: 'claude' }).id).toBe('claude')
  expect(() => lastSessionIn(sessions, { cwd: '/c' })).toThrow('There is no session in /c')
})

test('a link to the directory is the directory', () => {
  const directory = temporaryDirectory('continue-link')
  mkdirSync(join(directory, 'real'))
  symlinkSync(join(directory, 'real'), join(directory, 'link'))
  const found = lastSessionIn([session('s', { cwd: join(directory, 'real') })], {
    cwd: join(directory, 'link'),
  })
  expect(found.id).toBe('s')
})

test('chat --continue goes on with it, and the list fits the screen', async () => {
  const data = join(temporaryDirectory('continue'), 'data')
  const cwd = temporaryDirectory('continue-project')
  const env = { ...process.env, SLUICE_DEMO_PACE: '0', NO_COLOR: '1' }
  const chat = (input: string, ...args: string[]) =>
    sluice(['chat', ...args, '--data', data], { env, cwd, input })
  const none = await chat('', '--continue')
  expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining(`no session in ${cwd}`) })
  await chat('think\n', 'demo')
  const { code, stdout } = await chat('error\n', '--continue')
  expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringMatching(/› think.*fails/s) })
  const [only, ...more] = await storedSessions(data)
  expect(more).toEqual([])

  if (ptyMaker.reason !== undefined) return
  const main = join(root, 'src/cli/main.js')
  const terminal = startInTerminal([process.execPath, main, 'sessions', '--data', data], {
    ...{ cwd, env },
  })
  await terminal.ended
  expect(terminal.screen()).toMatch(
    new RegExp(String.raw`^${only?.id.slice(0, 8)} \S+ \S+ demo +think\r\n$`),
  )
})

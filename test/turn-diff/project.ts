import { execFileSync } from 'node:child_process'
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { turnDiff } from '../../src/api/turn-diff.ts'
import type { FileDiff, TurnDiff } from '../../src/api/types.ts'
import { createStamp } from '../../src/events/stamp.ts'
import type { AgentEvent } from '../../src/events/types.ts'
import { openMemoryLog } from '../../src/log/memory/memory-log.ts'
import { createTurnDiffs, type TurnDiffsOptions } from '../../src/turn-diff/turn-diffs.ts'

/** A project directory with a session. Its git uses no settings from outside. */
export const openProject = async (options: Partial<TurnDiffsOptions> = {}) => {
  const root = mkdtempSync(join(tmpdir(), 'sluice-turn-diff-'))
  const [home, cwd, directory] = ['home', 'project', 'data'].map((name) => join(root, name))
  if (!home || !cwd || !directory) throw new Error('no folders')
  for (const folder of [home, cwd]) mkdirSync(folder)
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    GIT_CONFIG_NOSYSTEM: '1',
  }
  const log = await openMemoryLog()
  await log.sessions.create({
    id: 's',
    agent: 'pi',
    cwd,
    state: 'idle',
    createdAt: 1,
    updatedAt: 1,
  })
  const errors: unknown[] = []
  let time = 1000
  let stamp = createStamp('s', () => time++)
  const open = (more: Partial<TurnDiffsOptions> = {}) =>
    createTurnDiffs({
      directory,
      log,
      env,
      onError: (cause) => errors.push(cause),
      ...options,
      ...more,
    })
  let diffs = open()

  /** Runs a shell script in the project, as an agent’s tool does. */
  const sh = (script: string, at = cwd): string =>
    execFileSync('sh', ['-ec', script], { cwd: at, env, encoding: 'utf8', stdio: 'pipe' })

  const append = async (...events: AgentEvent[]) => {
    const stamped = events.map(stamp)
    await log.append('s', stamped)
    return stamped
  }

  return {
    root,
    home,
    cwd,
    directory,
    env,
    log,
    errors,
    sh,
    append,
    diffs: () => diffs,
    /** Creates a repository; its first commit has what the script makes. */
    init(script = 'echo one > a.txt', at = cwd) {
      sh(
        'git init -q -b main . && git config user.name me && git config user.email me@here && git config commit.gpgsign false',
        at,
      )
      sh(script, at)
      sh('git add -A && git commit -q --allow-empty -m first', at)
    },
    /** Starts a turn. */
    async start(at = cwd) {
      const [start] = await append({ type: 'agent_start' })
      if (!start) throw new Error('no event')
      await diffs.startTurn('s', at, start)
      return start
    },
    /** Reads the turn diff, and checks it against its schema. */
    async read(at = cwd): Promise<TurnDiff> {
      const found = await diffs.read('s', at)
      expect(turnDiff.strict().parse(found)).toEqual(found)
      return found
    },
    /** Replaces the turn diffs by new ones, as a restart of the server does. */
    async restart(more: Partial<TurnDiffsOptions> = {}) {
      await diffs.close()
      diffs = open(more)
      stamp = createStamp('s', () => time++, await log.head('s'))
    },
    async close() {
      await diffs.close()
      rmSync(root, { recursive: true, force: true })
    },
  }
}
export type Project = Awaited<ReturnType<typeof openProject>>

/**
 * Every file in a directory, with content, mode and time. Times of git’s objects are left out: git
 * updates the time of an existing object instead of writing it again.
 */
export const contentOf = (directory: string): string[] =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const path = join(directory, name)
      const { mode, mtimeMs, size } = lstatSync(path)
      const bytes = lstatSync(path).isFile() ? readFileSync(path).toString('base64') : ''
      const time = /^objects\/../.test(name) ? '' : mtimeMs
      return [name, mode, time, size, bytes].join(' ')
    })

/** Each file as a line: status, path, kind. */
export const linesOf = ({ files }: TurnDiff): string[] =>
  files.map(({ path, oldPath, status, kind }) =>
    [
      status,
      ...(oldPath === undefined ? [] : [oldPath, '→']),
      path,
      ...(kind === 'text' ? [] : [kind]),
    ].join(' '),
  )

export const fileOf = ({ files }: TurnDiff, path: string): FileDiff => {
  const file = files.find((each) => each.path === path)
  if (!file) throw new Error(`no file ${path} in ${files.map((each) => each.path).join(', ')}`)
  return file
}

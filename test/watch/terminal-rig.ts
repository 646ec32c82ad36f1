import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createPresenceRegistry } from '../../src/presence/index.ts'
import { createWatchedSessions } from '../../src/watch/create-watched-sessions.ts'
import { rootOf } from '../../src/watch/files/find-files.ts'
import { importFiles } from '../../src/watch/files/import-files.ts'
import { openFileLibrary } from '../../src/watch/files/library.ts'
import { createPresenceFollower } from '../../src/watch/presence-follower.ts'
import { fileSources } from '../../src/watch/sources/file-sources.ts'
import { createTakeover } from '../../src/watch/takeover.ts'
import type { AgentSetup } from '../agents/sandbox.ts'
import { agentProgram } from '../support/agent-program.ts'
import { dataDirectory, openDemoSessions } from '../support/demo-sessions.ts'
import { eventually } from '../support/eventually.ts'
import { eventsOf } from './rig.ts'

export const hasTmux = spawnSync('tmux', ['-V'], { stdio: 'ignore' }).status === 0
if (!hasTmux) console.log('skipped: agents in terminals: tmux is not installed')

/** Runs a program in a terminal of its own. */
export const startTerminal = (argv: readonly string[], { env, cwd }: AgentSetup) => {
  const tmux = (...args: string[]) =>
    spawnSync('tmux', ['-S', join(env.HOME ?? cwd, 'tmux'), ...args], {
      encoding: 'utf8',
      env: { ...env, TERM: 'xterm-256color' },
    }).stdout
  tmux('-f', '/dev/null', 'new-session', '-d', '-x', '120', '-y', '40', '-c', cwd, ...argv)
  const end = () => tmux('kill-server')
  onTestFinished(() => void end())
  const screen = () => tmux('capture-pane', '-p')
  const press = (...keys: string[]) => tmux('send-keys', ...keys)
  const shows = (text: string) =>
    eventually(() => {
      if (!screen().includes(text)) throw new Error(`no ${text} on the screen:\n${screen()}`)
    })
  return {
    ...{ press, shows, end },
    /** Presses Enter until the answer comes: a prompt that has just been drawn loses keys. */
    async submits(typed: string, answer: string) {
      await shows(typed)
      await eventually(() => {
        if (screen().includes(answer)) return
        press('Enter')
        throw new Error(`no ${answer} on the screen:\n${screen()}`)
      })
    },
  }
}

/** Watches the sessions that an agent writes, and can continue them. */
export const watchAgent = async (agent: string, setup: AgentSetup) => {
  const env = { ...process.env, ...setup.env }
  const source = fileSources.find((each) => each.agent === agent)
  if (!source) throw new Error(`no source ${agent}`)
  mkdirSync(source.directory(env, env.HOME ?? ''), { recursive: true })
  const root = (await rootOf(source, env, env.HOME ?? '')) ?? ''
  const program = agentProgram(setup)
  const sessions = await openDemoSessions({
    ...{ directory: dataDirectory(), env, findProgram: () => program },
    onSession: (event) => watched.onSession(event),
  })
  const { log } = sessions
  const onError = (cause: unknown) => console.error(cause)
  const watched = createWatchedSessions({
    ...{ log, publish() {}, publishHistory() {}, onError },
    notify: (event) => follower.onSession(event),
  })
  const presence = createPresenceRegistry({ env, pollMs: 200 })
  const follower = createPresenceFollower({ log, watched, presence, onError })
  const library = await openFileLibrary({ log, watched })
  let reading = Promise.resolve()
  /** Reads what the agent has written by now. */
  const read = (): Promise<void> => {
    reading = reading.then(async () => void (await importFiles({ library, source, root, onError })))
    return reading
  }
  onTestFinished(async () => {
    await reading
    presence.close()
    await follower.close()
    await watched.close()
    await sessions.close()
  })
  const only = async () => {
    await read()
    const [record, ...more] = await log.sessions.list({ limit: 10 })
    if (!record || more.length > 0) throw new Error(`${more.length + (record ? 1 : 0)} sessions`)
    return record
  }
  return {
    ...{ sessions, only },
    takeover: createTakeover({ log, watched, sessions, presence }),
    events: async () => eventsOf(log, (await only()).id),
    presence: async () => (await only()).watched?.presence,
  }
}

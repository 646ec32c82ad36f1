import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { StampedEvent } from '../../src/events/types.ts'
import { createPresenceRegistry } from '../../src/presence/index.ts'
import { hasProc } from '../../src/process/process-table.ts'
import { createWatchedSessions } from '../../src/watch/create-watched-sessions.ts'
import { createPresenceFollower } from '../../src/watch/presence-follower.ts'
import { createTakeover } from '../../src/watch/takeover.ts'
import { piBin, piSetup } from '../agents/pi.ts'
import { startModel } from '../model/server.ts'
import { agentProgram } from '../support/agent-program.ts'
import { dataDirectory, openDemoSessions } from '../support/demo-sessions.ts'
import { eventually } from '../support/eventually.ts'
import { decodeChunks } from '../support/recordings.ts'

/** A session that the real Pi has written in its own terminal, and that Sluice watches. */
const openRig = async () => {
  const model = await startModel()
  const setup = piSetup('0.87', model.url)
  const { cwd } = setup
  const env = { ...process.env, ...setup.env }
  const args = ['-p', '--model', 'fake/fake-sonnet', 'scenario:text the word is quince']
  const pi = spawn(process.execPath, [piBin('0.87'), ...args], { cwd, env, stdio: 'ignore' })
  await once(pi, 'close')
  const [path = ''] = globSync('pi/sessions/**/*.jsonl', { cwd: env.HOME ?? '' })
  const file = join(env.HOME ?? '', path)
  const bytes = readFileSync(file)
  const nativeId = JSON.parse(bytes.toString().split('\n')[0] ?? '').id

  const directory = dataDirectory()
  const program = agentProgram(setup)
  const sessions = await openDemoSessions({
    ...{ directory, env, findProgram: () => program },
    onSession: (event) => watched.onSession(event),
  })
  const { log } = sessions
  const fail = (cause: unknown): never => {
    throw cause
  }
  const watched = createWatchedSessions({
    ...{ log, publish() {}, publishHistory() {}, onError: fail },
    notify: (event) => follower.onSession(event),
  })
  const presence = createPresenceRegistry({ env, pollMs: 100 })
  const follower = createPresenceFollower({ log, watched, presence, onError: fail })
  const native = { agent: 'pi', nativeId, cwd, file }
  const opened = await watched.open(native)
  if (typeof opened === 'string') throw new Error(opened)
  await opened.append([{ at: Date.now(), events: decodeChunks('pi', [bytes]) }])
  onTestFinished(async () => {
    presence.close()
    await follower.close()
    await watched.close()
    await sessions.close()
    await model.close()
    setup.remove()
  })
  const takeover = createTakeover({ log, watched, sessions, presence })
  const record = () => log.sessions.get(opened.id)
  const events = async () => {
    const all: StampedEvent[] = []
    for await (const event of log.read(opened.id, 0)) all.push(event)
    return all
  }
  return {
    ...{ id: opened.id, native, opened, watched, takeover, sessions, model, cwd },
    record,
    events,
  }
}

/** A process that looks like a Pi in the directory. */
const startPi = async (cwd: string) => {
  const program = join(cwd, 'pi')
  copyFileSync(spawnSync('which', ['sleep'], { encoding: 'utf8' }).stdout.trim(), program)
  const child = spawn(program, ['300'], { cwd, stdio: 'ignore' })
  await once(child, 'spawn')
  return {
    pid: child.pid ?? 0,
    async end() {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

test('a session that began elsewhere goes on here, with its history, in the agent’s own file', async () => {
  const { id, native, opened, watched, takeover, sessions, model, record, events } = await openRig()
  const before = await events()
  expect(await sessions.get(id).catch((fault: unknown) => fault)).toBeDefined()
  const continued = await takeover.continue(id)
  expect(continued).toMatchObject({ id, continuedNativeId: native.nativeId })
  expect(continued.watched).toBeUndefined()
  // Whoever still has the watched session open cannot write to it.
  await expect(opened.append([{ events: [{ type: 'agent_start' }] }])).rejects.toThrow()
  expect(await watched.open(native)).toBe('own')

  const session = await sessions.get(id)
  await session?.prompt('scenario:text and what is the word')
  await sessions.idle()
  expect(model.requests.at(-1)?.body).toContain('quince')
  const after = await events()
  expect(after.slice(0, before.length)).toEqual(before)
  expect(after.filter(({ type }) => type === 'agent_end')).toHaveLength(2)
  expect(after.map(({ seq }) => seq)).toEqual(after.map((_, index) => index + 1))
  expect((await record())?.nativeId).toBe(native.nativeId)
  expect(await watched.open(native)).toBe('own')
  await expect(takeover.continue(id)).rejects.toMatchObject({ code: 'not_watched' })
})

test.skipIf(!hasProc)(
  'is refused while the agent’s own process lives, and may be confirmed',
  async () => {
    const { id, takeover, record, cwd, opened } = await openRig()
    const pi = await startPi(cwd)
    // It is younger than the last write: nobody knows which session it works in.
    await expect(takeover.continue(id)).rejects.toMatchObject({
      code: 'presence_unknown',
      message: expect.stringContaining(`Process ${pi.pid} of Pi runs in ${cwd}`),
    })
    expect((await record())?.watched).toBeDefined()
    await opened.append([{ events: [{ type: 'agent_start' }] }])
    await eventually(async () =>
      expect((await record())?.watched?.presence).toMatchObject({ state: 'unknown', pid: pi.pid }),
    )
    await pi.end()
    await eventually(async () => expect((await record())?.watched?.presence?.state).toBe('gone'))
    const other = await startPi(cwd)
    const continued = await takeover.continue(id, { confirmed: true })
    expect(continued.watched).toBeUndefined()
    await other.end()
  },
)

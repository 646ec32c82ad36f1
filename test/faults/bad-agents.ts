import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ApiError } from '../../src/client/api-error.ts'
import { compareWithLog } from './compare.ts'
import { readConnection } from './connection.ts'
import { type Fault, requireThat, type Trial } from './fault.ts'
import {
  createFaultServer,
  type FaultServer,
  processesIn,
  promptWhenIdle,
  until,
} from './server.ts'
import { createFrameChecker, createWitness } from './witness.ts'

/** The behaviours of the agent, read from its program. */
const behaviours = [
  ...readFileSync(new URL('agents/bad-agent.js', import.meta.url), 'utf8').matchAll(
    /^ {2}'([^']+)': \{/gm,
  ),
].map(([, name = '']) => name)

/** These go on until somebody aborts their run. */
const endless = new Set([
  'ignores SIGTERM and SIGINT',
  'never replies',
  'asks with the same approval id twice',
  'does not read its input',
])

const disordered = new Set(['uses the same ids again', 'prints events in the wrong order'])

/** Starts a session whose agent behaves badly, and sends it a prompt. */
const startBadSession = async (
  server: FaultServer,
  behaviour: string,
  directory: string,
): Promise<string> => {
  const { client } = server.current()
  mkdirSync(directory)
  writeFileSync(join(directory, 'behaviour'), behaviour)
  const project = await client.projects.create({ name: behaviour, path: directory })
  const { id } = await client.sessions.create({ projectId: project.id, agent: 'claude' })
  await client.sessions.prompt(id, 'go').catch((cause: unknown) => {
    // An agent that exits at once refuses the prompt, with a reason.
    if (!(cause instanceof ApiError && cause.status >= 400)) throw cause
  })
  return id
}

/** Waits until no session of a bad agent is running any more. */
const untilOver = async (server: FaultServer, ids: readonly string[]): Promise<void> => {
  const { client } = server.current()
  for (const [at, id] of ids.entries())
    if (endless.has(behaviours[at] ?? '')) await client.sessions.abort(id).catch(() => {})
  const running = async (): Promise<string[]> => {
    const { sessions } = await client.sessions.list({ state: 'running', limit: 200 })
    return sessions.flatMap(({ id }) => behaviours[ids.indexOf(id)] ?? [])
  }
  let left: string[] = []
  const isOver = async () => {
    left = await running()
    return left.length === 0
  }
  await until('the runs of bad agents end', isOver).catch((cause: unknown) => {
    throw new Error(`an agent that ${left.join(', ')} is still running`, { cause })
  })
}

/** A session of a good agent, with a reader. It must not notice the others. */
const startGoodSession = async (server: FaultServer) => {
  const { client } = server.current()
  const path = join(server.directories.projects, 'good')
  mkdirSync(path)
  const project = await client.projects.create({ name: 'good', path })
  const { id } = await client.sessions.create({ projectId: project.id, agent: 'demo' })
  const witness = createWitness()
  const checker = createFrameChecker(witness, 'one')
  const over = new AbortController()
  const ended = Promise.withResolvers<void>()
  checker.begin(false)
  const reading = readConnection({
    ...server.address(),
    path: `/api/v1/sessions/${id}/stream`,
    signal: over.signal,
    onFrame(frame) {
      checker.read(frame)
      if (frame.text.includes('"type":"agent_end"')) ended.resolve()
    },
  })
  await promptWhenIdle(server.current(), id, 'long')
  return {
    id,
    witness,
    async finish(): Promise<void> {
      await Promise.race([ended.promise, reading])
      over.abort()
      await reading
    },
  }
}

const tryAll = async (trial: Trial, sandbox: string): Promise<void> => {
  const server = createFaultServer(trial, 'bad-agent.js', {
    args: ['--sandbox', sandbox, '--max-agents', '64'],
    env: { SLUICE_DEMO_PACE: '2' },
  })
  await server.start()
  const { client } = server.current()
  const good = await startGoodSession(server)
  const { data, projects } = server.directories
  const ids = await Promise.all(
    behaviours.map((behaviour, at) => startBadSession(server, behaviour, join(projects, `${at}`))),
  )
  await untilOver(server, ids)
  await good.finish()
  const { status } = await client.health()
  requireThat(status === 'ok', `the server is ${status} after the bad agents`)
  trial.count('bad agents', behaviours.length)

  const code = await server.stop('SIGTERM')
  requireThat(code === 0, `the server exited with ${code}`)
  const left = processesIn(projects)
  requireThat(left.length === 0, () => `processes are left:\n${left.join('\n')}`)
  const bad = ids.map((id, at) => ({ id, isDisordered: disordered.has(behaviours[at] ?? '') }))
  await compareWithLog(data, [{ id: good.id }, ...bad], good.witness, trial)
}

/** Agents that do everything wrong, all at once in one server. */
export const badAgents: Fault = {
  name: 'bad-agents',
  title: 'agents that print garbage, hang, flood or leave processes',
  async run(trial) {
    for (let at = 0; trial.goesOn(); at += 1) await tryAll(trial, at % 2 === 0 ? 'off' : 'auto')
  },
}

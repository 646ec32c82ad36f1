import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { root } from '../support/sluice.ts'
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
import { createFrameChecker, createWitness, type Witness } from './witness.ts'

const sessionCount = 3
/** In a long trial, new sessions begin now and then: the comparison of one session stays short. */
const triesPerSessions = 20

/** A reader that connects again until it is stopped. */
const startReader = (
  { random }: Trial,
  server: FaultServer,
  ids: readonly string[],
  witness: Witness,
  fail: (cause: unknown) => void,
) => {
  const [only = ''] = ids
  const path = ids.length === 1 ? `sessions/${only}/stream` : `stream?sessions=${ids.join(',')}`
  const checker = createFrameChecker(witness, ids.length === 1 ? 'one' : 'many')
  const over = new AbortController()
  const read = async (): Promise<void> => {
    let isNew = true
    while (!over.signal.aborted) {
      const lastEventId = isNew ? undefined : checker.cursor()
      checker.begin(lastEventId !== undefined)
      const onFrame = checker.read
      const target = { ...server.address(), path: `/api/v1/${path}` }
      const status = await readConnection({
        ...target,
        lastEventId,
        signal: over.signal,
        onFrame,
      })
      // Now and then it continues as a new reader, which begins with a snapshot.
      if (status === 200) isNew = random.oneIn(5)
      await pause(5)
    }
  }
  const reading = read().catch(fail)
  return {
    events: () => checker.count(),
    async stop() {
      over.abort()
      await reading
    },
  }
}

/** A data directory that is killed again and again, with its sessions and readers. */
const createRound = async (trial: Trial, server: FaultServer, witness: Witness) => {
  const { client } = server.current()
  const project = await client.projects.create({ name: 'P', path: server.directories.projects })
  const sessions = await Promise.all(
    Array.from({ length: sessionCount }, (_, at) =>
      client.sessions.create({ projectId: project.id, agent: at === 0 ? 'demo' : 'claude' }),
    ),
  )
  const ids = sessions.map(({ id }) => id)
  const failed = Promise.withResolvers<never>()
  failed.promise.catch(() => {}) // it is awaited below
  const groups = [...ids.map((id) => [id]), ...ids.map((id) => [id]), ids]
  const readers = groups.map((group) => startReader(trial, server, group, witness, failed.reject))
  trial.defer(() => Promise.all(readers.map((reader) => reader.stop())))
  const seen = () => readers.reduce((sum, reader) => sum + reader.events(), 0)
  return { ids, readers, failed: failed.promise, seen }
}
type Round = Awaited<ReturnType<typeof createRound>>

/** Lets the agents work, and kills the server after a random number of events. */
const workAndKill = async (trial: Trial, server: FaultServer, round: Round): Promise<void> => {
  const { random } = trial
  const { client } = server.current()
  for (const [at, id] of round.ids.entries())
    await promptWhenIdle(
      server.current(),
      id,
      at === 0 ? 'long' : JSON.stringify({ messages: 200 + random.below(800) }),
    )
  const target = round.seen() + random.below(random.oneIn(3) ? 40 : 2500)
  const isIdle = async () => {
    const infos = await Promise.all(round.ids.map((id) => client.sessions.get(id)))
    return infos.every(({ state }) => state !== 'running')
  }
  let nextLook = 0
  const hasWorked = async () => {
    if (round.seen() >= target) return true
    if (performance.now() < nextLook) return false
    nextLook = performance.now() + 500
    return isIdle()
  }
  const worked = until('the agents work', hasWorked, { limitMs: 120_000, everyMs: 5 })
  await Promise.race([worked, round.failed])
  await server.stop('SIGKILL')
}

/** Kills a server while it starts. */
const killStarting = async (trial: Trial, { directories }: FaultServer): Promise<void> => {
  const { data, projects } = directories
  const args = ['serve', '--port', '0', '--data', data, '--root', projects]
  const child = spawn(process.execPath, [join(root, 'src/cli/main.js'), ...args], {
    stdio: 'ignore',
  })
  const exited = once(child, 'exit')
  await pause(trial.random.below(600))
  child.kill('SIGKILL')
  await exited
  trial.count('kills during the start')
}

/** After a start: no run is open, and nothing is left of the agents of the last server. */
const checkRecovery = async (server: FaultServer, { ids }: Round): Promise<void> => {
  const { client } = server.current()
  for (const id of ids) {
    const { state } = await client.sessions.get(id)
    requireThat(state !== 'running', `${id} is running after the start`)
  }
  const { projects } = server.directories
  const own = String(server.current().child.pid)
  await until('the agents of the killed server end', () =>
    processesIn(projects).every((line) => line.startsWith(`${own} `)),
  )
}

const finish = async (trial: Trial, server: FaultServer, round: Round, witness: Witness) => {
  await Promise.all(round.readers.map((reader) => reader.stop()))
  trial.count('deliveries', round.seen())
  const code = await server.stop('SIGTERM')
  requireThat(code === 0, `the server exited with ${code}`)
  requireThat(processesIn(server.directories.projects).length === 0, 'a process is left')
  await compareWithLog(
    server.directories.data,
    round.ids.map((id) => ({ id })),
    witness,
    trial,
  )
}

/** Kills the server at random moments while agents stream and readers read. */
export const kill: Fault = {
  name: 'kill',
  title: 'kill -9 of the server under load',
  async run(trial) {
    const server = createFaultServer(trial, 'streaming-agent.js', {
      env: { SLUICE_DEMO_PACE: '1' },
    })
    let goesOn = trial.goesOn()
    while (goesOn) {
      const witness = createWitness()
      await server.start()
      const round = await createRound(trial, server, witness)
      for (let tries = 0; goesOn && tries < triesPerSessions; tries += 1) {
        await workAndKill(trial, server, round)
        if (trial.random.oneIn(4)) await killStarting(trial, server)
        await server.start()
        await checkRecovery(server, round)
        trial.count('kills')
        goesOn = trial.goesOn()
      }
      await finish(trial, server, round, witness)
    }
  },
}

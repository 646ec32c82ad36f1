import { setTimeout as pause } from 'node:timers/promises'
import { compareWithLog } from './compare.ts'
import { readConnection } from './connection.ts'
import { type Fault, requireThat, type Trial } from './fault.ts'
import { createFaultServer, type FaultServer, promptWhenIdle, until } from './server.ts'
import { createFrameChecker, createWitness, type Witness } from './witness.ts'

const sessionCount = 3
const singleReaders = 6
const multiReaders = 3
/** In a long trial, new sessions begin now and then: the comparison of one session stays short. */
const cutsPerSessions = 2000

/** What the readers of one group of sessions share. */
interface Shared {
  server: FaultServer
  trial: Trial
  witness: Witness
  ids: readonly string[]
  cuts: number
  /** Cuts go on in these sessions. */
  goesOn: boolean
  /** The trial is over. */
  isOver: boolean
  /** Aborted when the cuts in these sessions end: a reader may wait for events that do not come. */
  ended: AbortController
}

/** Where a connection is cut: often soon, sometimes late. */
const cutOf = ({ random }: Trial): number =>
  random.below(random.pick([1, 300, 3000, 3000, 20_000, 60_000]))

/** A reader whose connections are cut until the trial is over. Then it reads up to the head. */
const readWithCuts = async (shared: Shared, ids: readonly string[]): Promise<void> => {
  const { server, trial, witness } = shared
  const checker = createFrameChecker(witness, ids.length === 1 ? 'one' : 'many')
  const path = ids.length === 1 ? `sessions/${ids[0]}/stream` : `stream?sessions=${ids.join(',')}`
  const connect = async (bytes: number, signal: AbortSignal, onRead = () => {}): Promise<void> => {
    const lastEventId = trial.random.oneIn(10) ? undefined : checker.cursor()
    // A snapshot is longer than most cuts leave.
    const cutAfter = lastEventId === undefined ? bytes + trial.random.below(200_000) : bytes
    checker.begin(lastEventId !== undefined)
    const status = await readConnection({
      ...server.address(),
      path: `/api/v1/${path}`,
      lastEventId,
      cutAfter,
      onFrame(frame) {
        checker.read(frame)
        onRead()
      },
      signal,
    })
    requireThat(status === 200 || status === 0, `a stream answered ${status}`)
  }
  while (shared.goesOn) {
    await connect(cutOf(trial), shared.ended.signal)
    shared.cuts += 1
    shared.isOver ||= !trial.goesOn()
    shared.goesOn = !shared.isOver && shared.cuts < cutsPerSessions
    if (!shared.goesOn) shared.ended.abort()
  }
  const heads = await headsOf(server, ids)
  const isComplete = (): boolean => ids.every((id) => checker.seqOf(id) >= (heads.get(id) ?? 0))
  for (let tries = 0; !isComplete() && tries < 20; tries += 1) {
    const over = new AbortController()
    await connect(Number.POSITIVE_INFINITY, over.signal, () => isComplete() && over.abort())
  }
  requireThat(isComplete(), 'a reader did not reach the end of its sessions')
  trial.count('deliveries', checker.count())
}

/** The seq of the last event of each session, once no agent works any more. */
const headsOf = async (
  server: FaultServer,
  ids: readonly string[],
): Promise<Map<string, number>> => {
  const { client } = server.current()
  const heads = new Map<string, number>()
  const isIdle = async (): Promise<boolean> => {
    for (const id of ids) {
      const { state, seq } = await client.sessions.get(id)
      if (state === 'running') return false
      heads.set(id, seq ?? 0)
    }
    return true
  }
  await until('the agents are done', isIdle, { limitMs: 300_000 })
  return heads
}

/** Keeps the agents busy while connections are cut. */
const promptWhile = async ({ server, trial, ids }: Shared, goesOn: () => boolean) => {
  const work = async (id: string, at: number): Promise<void> => {
    while (goesOn()) {
      const text = at === 0 ? 'tour' : JSON.stringify({ messages: 5 + trial.random.below(40) })
      await promptWhenIdle(server.current(), id, text)
      await pause(trial.random.below(100))
    }
  }
  await Promise.all(ids.map(work))
}

/** Cuts the connections of readers of one session and of several. */
export const cuts: Fault = {
  name: 'cuts',
  title: 'connections of readers cut at random bytes',
  async run(trial) {
    const server = createFaultServer(trial, 'streaming-agent.js', {
      args: ['--approve', 'allow'],
      env: { SLUICE_DEMO_PACE: '1' },
    })
    await server.start()
    const { client } = server.current()
    const project = await client.projects.create({ name: 'P', path: server.directories.projects })
    const witness = createWitness()
    const all: string[] = []
    let isOver = !trial.goesOn()
    while (!isOver) {
      const ids: string[] = []
      for (const agent of ['demo', 'claude', 'claude'].slice(0, sessionCount))
        ids.push((await client.sessions.create({ projectId: project.id, agent })).id)
      all.push(...ids)
      const shared: Shared = {
        server,
        trial,
        witness,
        ids,
        cuts: 0,
        goesOn: true,
        isOver,
        ended: new AbortController(),
      }
      const single = Array.from({ length: singleReaders }, (_, at) => [ids[at % ids.length] ?? ''])
      const multi = Array.from({ length: multiReaders }, () => ids)
      await Promise.all([
        promptWhile(shared, () => shared.goesOn),
        ...[...single, ...multi].map((group) => readWithCuts(shared, group)),
      ])
      trial.count('cuts', shared.cuts)
      isOver = shared.isOver
    }
    requireThat((await server.stop('SIGTERM')) === 0, 'the server did not exit with 0')
    await compareWithLog(
      server.directories.data,
      all.map((id) => ({ id })),
      witness,
      trial,
    )
  },
}

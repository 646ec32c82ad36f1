import { natsMissing } from '../../support/nats-server.ts'
import type { Fault, Trial } from '../fault.ts'
import { until } from '../server.ts'
import { createHistory, type History } from './history.ts'
import { createRig, type Rig } from './rig.ts'
import { openRigLog } from './rig-log.ts'
import { strikeAll } from './strike-all.ts'
import { createWriter } from './writer.ts'

/** How long the cluster may take to work again after a fault is over. */
const recoveryMs = 90_000

/** A fault of the cluster with the nemeses of some rounds, again and again; or all, at random. */
export const clusterFault = (rounds?: readonly string[]): Fault => ({
  name: 'cluster',
  title: 'faults of three nodes and three NATS servers',
  problem: natsMissing,
  async run(trial) {
    const rig = await startWriters(trial)
    await createSessions(rig)
    await Promise.all(rig.nodes.map((node) => node.start()))
    await untilWorking(rig)
    await strikeAll(rig, trial, { rounds, untilWorking: (after) => untilWorking(rig, after) })
    await Promise.all(rig.nodes.map((node) => node.stop()))
    await compareAll(rig, trial)
    for (const [outcome, count] of rig.history.outcomes) trial.count(`appends: ${outcome}`, count)
  },
})

/** A rig whose nodes append by themselves. */
interface WriterRig extends Rig {
  readonly history: History
}

const sessionCount = 6

const startWriters = async (trial: Trial): Promise<WriterRig> => {
  const history = createHistory()
  const rig = await createRig(trial, (settings) => createWriter(settings, sessionCount, history))
  const sessionIds = Array.from({ length: sessionCount }, (_, index) => `s${index}`)
  return { ...rig, history, sessionIds, writerOf: history.writerOf }
}

const createSessions = async (rig: WriterRig): Promise<void> => {
  const { log, close } = await openRigLog(rig)
  for (const id of rig.sessionIds)
    await log.sessions.create({
      ...{ id, agent: 'demo', cwd: '/', state: 'idle', createdAt: 1, updatedAt: 1 },
    })
  await close()
}

/** Waits until every session was appended to, and every node has seen it. */
const untilWorking = async (
  { history, nodes, sessionIds }: WriterRig,
  after = 'the start',
): Promise<void> => {
  const before = new Map(sessionIds.map((id) => [id, history.acked(id)]))
  const idle = () => sessionIds.filter((id) => history.acked(id) <= (before.get(id) ?? 0))
  const limits = { limitMs: recoveryMs, everyMs: 20 }
  const works = (): boolean => {
    history.check()
    return idle().length === 0
  }
  await until(`after ${after}: every session is written again`, works, limits)
  const heads = sessionIds.map(
    (id) => [id, Math.max(...nodes.map(({ name }) => history.seenBy(name, id)))] as const,
  )
  const seen = (): boolean => {
    history.check()
    return heads.every(([id, head]) => nodes.every(({ name }) => history.seenBy(name, id) >= head))
  }
  await until(`after ${after}: every node sees the events of all`, seen, limits)
}

const compareAll = async (rig: WriterRig, trial: Trial): Promise<void> => {
  const { log, close } = await openRigLog(rig)
  for (const id of rig.sessionIds) {
    const stored: string[] = []
    for await (const { texts } of log.readText(id, 0))
      for (const text of texts) stored.push(JSON.parse(text).assistantMessageEvent.delta)
    rig.history.check()
    rig.history.compare(id, stored, trial)
  }
  await close()
}

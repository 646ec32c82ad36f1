import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { openJetStreamLog } from '../../../src/log/jetstream/jetstream-log.ts'
import { natsMissing } from '../../support/nats-server.ts'
import type { Fault, Trial } from '../fault.ts'
import { until } from '../server.ts'
import { type Nemesis, nemeses } from './nemeses.ts'
import { type Rig, startRig } from './rig.ts'

/** How long the cluster may take to work again after a fault is over. */
const recoveryMs = 90_000

/** A fault of the cluster with only some of the nemeses, in this order again and again; or all, at random. */
export const clusterFault = (names?: readonly string[]): Fault => ({
  name: 'cluster',
  title: 'faults of three nodes and three NATS servers',
  problem: natsMissing,
  async run(trial) {
    const rig = await startRig(trial)
    await createSessions(rig)
    await Promise.all(rig.nodes.map((node) => node.start()))
    await untilWorking(rig)
    const tried = new Map<string, number[]>()
    for (let index = 0; trial.goesOn(); index += 1) {
      const nemesis = choose(rig, trial, index, names)
      await nemesis.strike(rig, trial.random)
      const recovered = await untilWorking(rig, nemesis.name)
      tried.set(nemesis.name, [...(tried.get(nemesis.name) ?? []), recovered])
      await pause(trial.random.below(300))
    }
    await Promise.all(rig.nodes.map((node) => node.stop()))
    await compareAll(rig, trial)
    report(rig, trial, tried)
  },
})

const choose = (
  rig: Rig,
  { random }: Trial,
  index: number,
  names: readonly string[] | undefined,
): Nemesis => {
  const possible = nemeses.filter(
    ({ name, problem }) => (names?.includes(name) ?? true) && problem?.(rig) === undefined,
  )
  const wanted = names?.[index % names.length]
  const chosen =
    possible.find(({ name }) => name === wanted) ?? possible[random.below(possible.length)]
  if (!chosen) throw new Error('No fault can be tried here.')
  return chosen
}

const openLog = async ({ nats, tenant }: Rig) => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-check-'))
  const log = await openJetStreamLog(directory, { servers: nats.urls, tenant, replicas: 3 })
  return {
    log,
    async close() {
      await log.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

const createSessions = async (rig: Rig): Promise<void> => {
  const { log, close } = await openLog(rig)
  for (const id of rig.sessionIds)
    await log.sessions.create({
      ...{ id, agent: 'demo', cwd: '/', state: 'idle', createdAt: 1, updatedAt: 1 },
    })
  await close()
}

/** Waits until every session was appended to, and every node has seen it. Returns how long that took. */
const untilWorking = async (
  { history, nodes, sessionIds }: Rig,
  after = 'the start',
): Promise<number> => {
  const began = performance.now()
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
  return performance.now() - began
}

const compareAll = async (rig: Rig, trial: Trial): Promise<void> => {
  const { log, close } = await openLog(rig)
  for (const id of rig.sessionIds) {
    const stored: string[] = []
    for await (const { texts } of log.readText(id, 0))
      for (const text of texts) stored.push(JSON.parse(text).assistantMessageEvent.delta)
    rig.history.check()
    rig.history.compare(id, stored, trial)
  }
  await close()
}

const report = ({ history }: Rig, trial: Trial, tried: ReadonlyMap<string, number[]>): void => {
  for (const [outcome, count] of history.outcomes) trial.count(`appends: ${outcome}`, count)
  for (const [name, times] of tried) {
    const worst = (Math.max(...times) / 1000).toFixed(1)
    trial.count(`× ${name} (works again within ${worst} s)`, times.length)
  }
}

import { setTimeout as pause } from 'node:timers/promises'
import type { NatsServer } from '../../support/nats-server.ts'
import type { Random } from '../random.ts'
import { type Nemesis, noDisk } from './nemesis.ts'
import { leaseMs, type Rig } from './rig.ts'
import { anyServer, between, leaderOf, natsFollowerOf } from './victims.ts'

/**
 * The servers have one fault after the other, each after they have settled; the faults of nodes overlap with
 * them. nats-server 2.9 does not survive more. It writes the settings of its streams at each start, and
 * not in one step: a kill in between makes it drop its copy of a stream ("checksums do not match"). And
 * after a leader that hung, a kill of all servers can leave copies that differ. Then messages are lost
 * that were acknowledged, also those of programs that have nothing to do with Sluice.
 */
const servers = ['NATS']
const settleMs = 5000
let lastFaultAt = Number.NEGATIVE_INFINITY

/** Strikes servers while no other fault does, after they have settled. */
const strikeServers = async (
  { locks }: Pick<Rig, 'locks'>,
  strike: () => Promise<void>,
): Promise<void> =>
  locks.holding(servers, async () => {
    await pause(Math.max(0, lastFaultAt + settleMs - performance.now()))
    await strike()
    lastFaultAt = performance.now()
  })

const signalAll = async (victims: readonly NatsServer[], signal: NodeJS.Signals): Promise<void> =>
  void (await Promise.all(victims.map((server) => server.signal(signal))))

type Choose = () => readonly NatsServer[] | Promise<readonly NatsServer[]>

const killServers = (rig: Rig, random: Random, choose: Choose): Promise<void> =>
  strikeServers(rig, async () => {
    const victims = await choose()
    await signalAll(victims, 'SIGKILL')
    await pause(between(random, 0, 3000))
    await Promise.all(victims.map((server) => server.restart()))
  })

const pauseServers = (rig: Rig, milliseconds: number, choose: Choose): Promise<void> =>
  strikeServers(rig, async () => {
    const victims = await choose()
    await signalAll(victims, 'SIGSTOP')
    await pause(milliseconds)
    await signalAll(victims, 'SIGCONT')
  })

/** What the NATS servers suffer. */
export const serverFaults: readonly Nemesis[] = [
  {
    name: 'kill -9 of the JetStream leader',
    strike: (rig, random) => killServers(rig, random, async () => [await leaderOf(rig, random)]),
  },
  {
    name: 'kill -9 of a NATS server',
    strike: (rig, random) => killServers(rig, random, () => [anyServer(rig, random)]),
  },
  {
    name: 'kill -9 of two NATS servers',
    async strike(rig, random) {
      const spared = anyServer(rig, random)
      const others = rig.nats.servers.filter((server) => server !== spared)
      await killServers(rig, random, () => others)
    },
  },
  {
    name: 'kill -9 of all NATS servers',
    strike: (rig, random) => killServers(rig, random, () => rig.nats.servers),
  },
  {
    name: 'stop of the JetStream leader, and wake-up',
    strike: (rig, random) =>
      pauseServers(rig, between(random, 500, 4000), async () => [await leaderOf(rig, random)]),
  },
  {
    name: 'stop of a NATS follower, and wake-up',
    strike: (rig, random) =>
      pauseServers(rig, between(random, 500, 4000), async () => [
        await natsFollowerOf(rig, random),
      ]),
  },
  {
    name: 'stop of all NATS servers past the lease, and wake-up',
    strike: (rig, random) =>
      pauseServers(rig, between(random, leaseMs, 1.6 * leaseMs), () => rig.nats.servers),
  },
  {
    name: 'rolling restart of the NATS servers',
    async strike(rig) {
      for (const server of rig.nats.servers)
        await strikeServers(rig, async () => {
          await server.signal('SIGKILL')
          await server.restart()
        })
    },
  },
  {
    name: 'full disk of a NATS server',
    problem: noDisk,
    strike: ({ nats, disks, locks }, random) =>
      strikeServers({ locks }, async () => {
        const server = nats.servers.at(-1)
        disks?.nats.fill(0)
        await pause(between(random, 500, 4000))
        disks?.nats.empty()
        // A server that met a full disk has switched JetStream off.
        await server?.signal('SIGKILL')
        await server?.restart()
      }),
  },
]

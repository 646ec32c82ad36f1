import { setTimeout as pause } from 'node:timers/promises'
import type { NatsServer } from '../../support/nats-server.ts'
import type { Random } from '../random.ts'
import { type Nemesis, noDisk } from './nemesis.ts'
import { leaseMs, type Rig } from './rig.ts'
import { anyServer, between, leaderOf, natsFollowerOf } from './victims.ts'

const lockOf = ({ name }: NatsServer): string => `server ${name}`

const started = new WeakMap<NatsServer, number>()
/**
 * How long a server runs before it is killed again. nats-server 2.9 writes the settings of its streams at
 * each start, and not in one step: a kill in between makes it drop its copy of a stream ("checksums do
 * not match"). When that happens to two of three servers, messages that were acknowledged are lost.
 */
const settleMs = 5000

const kill = async (server: NatsServer): Promise<void> => {
  const since = performance.now() - (started.get(server) ?? Number.NEGATIVE_INFINITY)
  await pause(Math.max(0, settleMs - since))
  await server.signal('SIGKILL')
}
const restart = async (server: NatsServer): Promise<void> => {
  await server.restart()
  started.set(server, performance.now())
}

const killServers = (
  { locks }: Rig,
  servers: readonly NatsServer[],
  random: Random,
): Promise<void> =>
  locks.holding(servers.map(lockOf), async () => {
    await Promise.all(servers.map(kill))
    await pause(between(random, 0, 3000))
    await Promise.all(servers.map(restart))
  })

const pauseServers = (
  { locks }: Rig,
  servers: readonly NatsServer[],
  milliseconds: number,
): Promise<void> =>
  locks.holding(servers.map(lockOf), async () => {
    await Promise.all(servers.map((server) => server.signal('SIGSTOP')))
    await pause(milliseconds)
    await Promise.all(servers.map((server) => server.signal('SIGCONT')))
  })

/** What the NATS servers suffer. */
export const serverFaults: readonly Nemesis[] = [
  {
    name: 'kill -9 of the JetStream leader',
    strike: async (rig, random) => killServers(rig, [await leaderOf(rig, random)], random),
  },
  {
    name: 'kill -9 of a NATS server',
    strike: (rig, random) => killServers(rig, [anyServer(rig, random)], random),
  },
  {
    name: 'kill -9 of two NATS servers',
    async strike(rig, random) {
      const spared = anyServer(rig, random)
      const others = rig.nats.servers.filter((server) => server !== spared)
      await killServers(rig, others, random)
    },
  },
  {
    name: 'kill -9 of all NATS servers',
    strike: (rig, random) => killServers(rig, rig.nats.servers, random),
  },
  {
    name: 'stop of the JetStream leader, and wake-up',
    strike: async (rig, random) =>
      pauseServers(rig, [await leaderOf(rig, random)], between(random, 500, 4000)),
  },
  {
    name: 'stop of a NATS follower, and wake-up',
    strike: async (rig, random) =>
      pauseServers(rig, [await natsFollowerOf(rig, random)], between(random, 500, 4000)),
  },
  {
    name: 'stop of all NATS servers past the lease, and wake-up',
    strike: (rig, random) =>
      pauseServers(rig, rig.nats.servers, between(random, leaseMs, 1.6 * leaseMs)),
  },
  {
    name: 'rolling restart of the NATS servers',
    async strike({ nats, locks }) {
      for (const server of nats.servers) {
        await locks.holding([lockOf(server)], async () => {
          await kill(server)
          await restart(server)
        })
        await pause(2000)
      }
    },
  },
  {
    name: 'full disk of a NATS server',
    problem: noDisk,
    async strike({ nats, disks, locks }, random) {
      const server = nats.servers.at(-1)
      if (!server) return
      await locks.holding([lockOf(server)], async () => {
        disks?.nats.fill(0)
        await pause(between(random, 500, 4000))
        disks?.nats.empty()
        // A server that met a full disk has switched JetStream off.
        await kill(server)
        await restart(server)
      })
    },
  },
]

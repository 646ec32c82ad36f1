import { existsSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { openLink } from '../../../src/log/jetstream/nats-link.ts'
import { namesOf } from '../../../src/log/jetstream/subjects.ts'
import type { NatsServer } from '../../support/nats-server.ts'
import type { ProxyMode } from '../../support/tcp-proxy.ts'
import type { Random } from '../random.ts'
import { leaseMs, type Rig, type RigNode } from './rig.ts'
import { clockLibrary } from './wrong-clock.ts'

/** Something that goes wrong, and is over when `strike` resolves. */
export interface Nemesis {
  readonly name: string
  /** Why it cannot be tried here. */
  problem?(rig: Rig): string | undefined
  strike(rig: Rig, random: Random): Promise<void>
}

const between = (random: Random, least: number, most: number): number =>
  least + random.below(most - least)

const anyNode = ({ nodes }: Rig, random: Random): RigNode => at(nodes, random)
const anyServer = ({ nats }: Rig, random: Random): NatsServer => at(nats.servers, random)
const at = <Item>(items: readonly Item[], random: Random): Item => {
  const item = items[random.below(items.length)]
  if (item === undefined) throw new Error('There is nothing to choose from.')
  return item
}

const ownerOf = ({ nodes, writerOf, sessionIds }: Rig, random: Random): RigNode =>
  nodes.find(({ name }) => name === writerOf(at(sessionIds, random))) ?? at(nodes, random)

/** The server that leads the stream of events. Any, when none does at the moment. */
const leaderOf = async (rig: Rig, random: Random): Promise<NatsServer> => {
  const link = await openLink({ servers: rig.nats.urls })
  try {
    const info = await link.manager.streams.info(namesOf(rig.tenant).eventStream)
    const leader = info.cluster?.leader
    return rig.nats.servers.find(({ name }) => name === leader) ?? anyServer(rig, random)
  } catch {
    return anyServer(rig, random)
  } finally {
    await link.close()
  }
}

const killNode = async (node: RigNode, random: Random): Promise<void> => {
  await node.kill()
  await pause(between(random, 0, 2 * leaseMs))
  await node.start()
}

const killServers = async (servers: readonly NatsServer[], random: Random): Promise<void> => {
  await Promise.all(servers.map((server) => server.signal('SIGKILL')))
  await pause(between(random, 0, 6000))
  await Promise.all(servers.map((server) => server.restart()))
}

const linkFault = (mode: ProxyMode): Nemesis => ({
  name: `link ${mode}`,
  async strike(rig, random) {
    const node = anyNode(rig, random)
    node.setLink(mode)
    await pause(between(random, 300, 3 * leaseMs))
    node.setLink('open')
  },
})

const noDisk = ({ disks }: Rig): string | undefined =>
  disks ? undefined : 'this user may not mount a disk'

/** What the nodes and their links suffer. */
const nodeFaults: readonly Nemesis[] = [
  {
    name: 'kill -9 of an owner',
    strike: async (rig, random) => killNode(ownerOf(rig, random), random),
  },
  {
    name: 'stop of a node past its lease, and wake-up',
    async strike(rig, random) {
      const node = ownerOf(rig, random)
      node.signal('SIGSTOP')
      await pause(between(random, leaseMs, 3 * leaseMs))
      node.signal('SIGCONT')
    },
  },
  {
    name: 'clean restart of a node',
    async strike(rig, random) {
      const node = anyNode(rig, random)
      await node.stop()
      await node.start()
    },
  },
  {
    name: 'rolling restart of the nodes',
    async strike({ nodes }) {
      for (const node of nodes) {
        await node.stop()
        await node.start()
      }
    },
  },
  {
    name: 'wrong clock',
    problem: () => (existsSync(clockLibrary) ? undefined : 'faketime is not installed'),
    async strike(rig, random) {
      const node = anyNode(rig, random)
      await node.kill()
      await node.start(random.pick([-86_400, -60, 60, 86_400]))
    },
  },
  {
    name: 'full disk of a node, without NATS',
    problem: noDisk,
    async strike(rig, random) {
      const node = at(rig.nodes.slice(2), random)
      rig.disks?.node.fill(0)
      node.setLink('cut')
      await pause(between(random, 500, 4000))
      rig.disks?.node.empty()
      node.setLink('open')
    },
  },
  ...(['cut', 'frozen', 'no_answers', 'no_requests', 'slow', 'lossy'] as const).map(linkFault),
]

/** What the NATS servers suffer. */
const serverFaults: readonly Nemesis[] = [
  {
    name: 'kill -9 of the JetStream leader',
    strike: async (rig, random) => killServers([await leaderOf(rig, random)], random),
  },
  {
    name: 'kill -9 of a NATS server',
    strike: (rig, random) => killServers([anyServer(rig, random)], random),
  },
  {
    name: 'kill -9 of two NATS servers',
    async strike(rig, random) {
      const spared = anyServer(rig, random)
      await killServers(
        rig.nats.servers.filter((server) => server !== spared),
        random,
      )
    },
  },
  {
    name: 'kill -9 of all NATS servers',
    strike: ({ nats }, random) => killServers(nats.servers, random),
  },
  {
    name: 'stop of the JetStream leader, and wake-up',
    async strike(rig, random) {
      const server = await leaderOf(rig, random)
      await server.signal('SIGSTOP')
      await pause(between(random, 500, 9000))
      await server.signal('SIGCONT')
    },
  },
  {
    name: 'rolling restart of the NATS servers',
    async strike({ nats }) {
      for (const server of nats.servers) {
        await server.signal('SIGKILL')
        await server.restart()
        await pause(3000)
      }
    },
  },
  {
    name: 'full disk of a NATS server',
    problem: noDisk,
    async strike({ nats, disks }, random) {
      disks?.nats.fill(0)
      await pause(between(random, 500, 5000))
      disks?.nats.empty()
      // A server that met a full disk has switched JetStream off.
      const [, , server] = nats.servers
      await server?.signal('SIGKILL')
      await server?.restart()
    },
  },
]

export const nemeses: readonly Nemesis[] = [...nodeFaults, ...serverFaults]

/** Faults that are quick: for `npm test`. */
export const quickNemeses: readonly string[] = [
  'kill -9 of an owner',
  'kill -9 of the JetStream leader',
  'stop of a node past its lease, and wake-up',
  'link no_answers',
]

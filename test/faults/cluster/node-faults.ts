import { existsSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { ProxyMode } from '../../support/tcp-proxy.ts'
import type { Random } from '../random.ts'
import { type Nemesis, noDisk } from './nemesis.ts'
import { leaseMs, type Rig, type RigNode } from './rig.ts'
import { anyNode, between, followerOf, ownerOf } from './victims.ts'
import { clockLibrary } from './wrong-clock.ts'

const processOf = ({ name }: RigNode): string => `node ${name}`
const linkOf = ({ name }: RigNode): string => `link ${name}`

/** How long a node may need to start while other faults are in force. */
const startMs = 90_000

/** Starts a node again, like a service manager: until it succeeds. */
const start = async (node: RigNode, skew = 0): Promise<void> => {
  const end = performance.now() + startMs
  for (;;)
    try {
      return await node.start(skew)
    } catch (cause) {
      // NATS may be away at the moment, because of another fault.
      if (performance.now() > end) throw cause
      await pause(200)
    }
}

const killNodes = ({ locks }: Rig, nodes: readonly RigNode[], random: Random): Promise<void> =>
  locks.holding(nodes.map(processOf), async () => {
    await Promise.all(nodes.map((node) => node.kill()))
    await pause(between(random, 0, 1.5 * leaseMs))
    await Promise.all(nodes.map((node) => start(node)))
  })

const restart = ({ locks }: Rig, node: RigNode): Promise<void> =>
  locks.holding([processOf(node)], async () => {
    await node.stop()
    await start(node)
  })

const linkFault = (mode: ProxyMode): Nemesis => ({
  name: `link ${mode}`,
  async strike(rig, random) {
    const node = anyNode(rig, random)
    await rig.locks.holding([linkOf(node)], async () => {
      node.setLink(mode)
      await pause(between(random, 300, 1.8 * leaseMs))
      node.setLink('open')
    })
  },
})

/** What the nodes and their links suffer. */
export const nodeFaults: readonly Nemesis[] = [
  {
    name: 'kill -9 of an owner',
    strike: (rig, random) => killNodes(rig, [ownerOf(rig, random)], random),
  },
  {
    name: 'kill -9 of a follower',
    strike: (rig, random) => killNodes(rig, [followerOf(rig, random)], random),
  },
  {
    name: 'kill -9 of two nodes',
    async strike(rig, random) {
      const spared = anyNode(rig, random)
      const others = rig.nodes.filter((node) => node !== spared)
      await killNodes(rig, others, random)
    },
  },
  {
    name: 'kill -9 of a node without NATS',
    async strike(rig, random) {
      const node = anyNode(rig, random)
      await rig.locks.holding([processOf(node), linkOf(node)], async () => {
        node.setLink('cut')
        await pause(between(random, 500, 1.6 * leaseMs))
        await node.kill()
        node.setLink('open')
        // Its journal is replayed: before others have taken over, or afterwards.
        if (random.oneIn(2)) await pause(between(random, 0, leaseMs))
        await start(node)
      })
    },
  },
  {
    name: 'stop of a node past its lease, and wake-up',
    async strike(rig, random) {
      const node = ownerOf(rig, random)
      await rig.locks.holding([processOf(node)], async () => {
        node.signal('SIGSTOP')
        await pause(between(random, leaseMs, 1.8 * leaseMs))
        node.signal('SIGCONT')
      })
    },
  },
  {
    name: 'clean restart of a node',
    strike: (rig, random) => restart(rig, anyNode(rig, random)),
  },
  {
    name: 'rolling restart of the nodes',
    async strike(rig) {
      for (const node of rig.nodes) await restart(rig, node)
    },
  },
  {
    name: 'wrong clock',
    problem: () => (existsSync(clockLibrary) ? undefined : 'faketime is not installed'),
    async strike(rig, random) {
      const node = anyNode(rig, random)
      const skew = random.pick([-86_400, -60, 60, 86_400])
      await rig.locks.holding([processOf(node)], async () => {
        await node.kill()
        await start(node, skew)
      })
    },
  },
  {
    name: 'full disk of a node, without NATS',
    problem: noDisk,
    async strike({ nodes, disks, locks }, random) {
      const node = nodes.at(-1)
      if (!node) return
      await locks.holding([processOf(node), linkOf(node)], async () => {
        disks?.node.fill(0)
        node.setLink('cut')
        await pause(between(random, 500, 4000))
        disks?.node.empty()
        node.setLink('open')
      })
    },
  },
  {
    name: 'a key that is revoked during a fault',
    problem: ({ revokeKey }) => (revokeKey ? undefined : 'these nodes have no keys'),
    async strike(rig, random) {
      const node = anyNode(rig, random)
      const mode = random.pick<ProxyMode>(['open', 'cut', 'slow', 'no_answers'])
      await rig.locks.holding([linkOf(node)], async () => {
        node.setLink(mode)
        const revoked = rig.revokeKey?.(random)
        revoked?.catch(() => {}) // it is awaited below
        await pause(between(random, 300, leaseMs))
        node.setLink('open')
        await revoked
      })
    },
  },
  ...(['cut', 'frozen', 'no_answers', 'no_requests', 'slow', 'lossy'] as const).map(linkFault),
]

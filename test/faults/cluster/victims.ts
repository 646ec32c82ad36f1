import { openLink } from '../../../src/log/jetstream/nats-link.ts'
import { namesOf } from '../../../src/log/jetstream/subjects.ts'
import type { NatsServer } from '../../support/nats-server.ts'
import type { Random } from '../random.ts'
import type { Rig, RigNode } from './rig.ts'

export const between = (random: Random, least: number, most: number): number =>
  least + random.below(most - least)

const oneOf = <Item>(items: readonly Item[], random: Random): Item => {
  const item = items[random.below(items.length)]
  if (item === undefined) throw new Error('There is nothing to choose from.')
  return item
}

export const anyNode = ({ nodes }: Rig, random: Random): RigNode => oneOf(nodes, random)
export const anyServer = ({ nats }: Rig, random: Random): NatsServer => oneOf(nats.servers, random)

/** The node that was the last to write to some session. */
export const ownerOf = ({ nodes, writerOf, sessionIds }: Rig, random: Random): RigNode =>
  nodes.find(({ name }) => name === writerOf(oneOf(sessionIds, random))) ?? oneOf(nodes, random)

/** A node that did not write last to some session. */
export const followerOf = ({ nodes, writerOf, sessionIds }: Rig, random: Random): RigNode => {
  const owner = writerOf(oneOf(sessionIds, random))
  return oneOf(
    nodes.filter(({ name }) => name !== owner),
    random,
  )
}

/** The server that leads the stream of events; undefined when none does at the moment. */
const leaderName = async (rig: Rig): Promise<string | undefined> => {
  try {
    const link = await openLink({ servers: rig.nats.urls })
    try {
      const info = await link.manager.streams.info(namesOf(rig.tenant).eventStream)
      return info.cluster?.leader
    } finally {
      await link.close()
    }
  } catch {
    return undefined // a fault that overlaps has struck the servers
  }
}

/** The server that leads the stream of events. Any, when none does at the moment. */
export const leaderOf = async (rig: Rig, random: Random): Promise<NatsServer> => {
  const chance = anyServer(rig, random)
  const leader = await leaderName(rig)
  return rig.nats.servers.find(({ name }) => name === leader) ?? chance
}

/** A server that does not lead the stream of events. */
export const natsFollowerOf = async (rig: Rig, random: Random): Promise<NatsServer> => {
  const leader = await leaderName(rig)
  return oneOf(
    rig.nats.servers.filter(({ name }) => name !== leader),
    random,
  )
}

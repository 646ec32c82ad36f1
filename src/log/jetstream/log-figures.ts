import type { StreamInfo } from '@nats-io/jetstream'
import type { AppendFigures, AppendTimes } from './append-times.ts'
import type { Journal } from './journal.ts'
import type { NatsLink } from './nats-link.ts'
import { type Names, streamsOf } from './subjects.ts'

/** What is measured of a log in a NATS cluster. */
export interface JetStreamFigures {
  readonly isConnected: boolean
  /** How often the connection was lost. */
  readonly disconnects: number
  readonly appends: AppendFigures
  /** What waits in the journal for NATS. */
  readonly journalBytes: number
  readonly unstoredWrites: number
  /** Empty while NATS does not answer. */
  readonly streams: readonly StoredStream[]
}

/** A stream of the tenant. */
export interface StoredStream {
  readonly name: string
  readonly messages: number
  readonly bytes: number
  /** Absent without a limit. */
  readonly limitBytes?: number
  readonly replicas: number
  /** Those that have everything, the leader included. */
  readonly replicasInSync: number
  /** How many operations the slowest replica is behind. */
  readonly replicaLag: number
}

export interface FigureSources {
  link: Pick<NatsLink, 'manager' | 'isConnected' | 'disconnects'>
  names: Names
  journal: Pick<Journal, 'figures'>
  appendTimes: Pick<AppendTimes, 'figures'>
}

export const readFigures = async ({
  link,
  names,
  journal,
  appendTimes,
}: FigureSources): Promise<JetStreamFigures> => {
  const infos = link.isConnected()
    ? await Promise.allSettled(streamsOf(names).map((name) => link.manager.streams.info(name)))
    : []
  return {
    isConnected: link.isConnected(),
    disconnects: link.disconnects(),
    appends: appendTimes.figures(),
    ...journal.figures(),
    streams: infos.flatMap((info) => (info.status === 'fulfilled' ? figuresOf(info.value) : [])),
  }
}

const figuresOf = ({ config, state, cluster }: StreamInfo): StoredStream => {
  const others = cluster?.replicas ?? []
  const hasLeader = cluster === undefined || cluster.leader !== undefined
  return {
    name: config.name,
    messages: state.messages,
    bytes: state.bytes,
    ...(config.max_bytes > 0 && { limitBytes: config.max_bytes }),
    replicas: config.num_replicas,
    replicasInSync:
      Number(hasLeader) + others.filter(({ current, offline }) => current && !offline).length,
    replicaLag: Math.max(0, ...others.map(({ lag }) => lag ?? 0)),
  }
}

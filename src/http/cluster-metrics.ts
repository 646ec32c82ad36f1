import type { HistoryFigures } from '../session/registry/session-history.ts'
import { counter, gauge, gauges, labelsOf, type Metric } from './metric.ts'

/** A node of the cluster, as this one sees it. */
export interface NodeFigures {
  node: string
  version: string
  leaseAgeMs: number
  owned: number
  sessions: number
  running: number
  maxAgents: number
  isDraining: boolean
}

/** What is measured where several nodes share a log. */
export interface ClusterFigures {
  nodes: readonly NodeFigures[]
  takeovers: number
  lostLeases: number
  tailLag: number
  isConnected: boolean
  disconnects: number
  appends: {
    readonly buckets: readonly { readonly le: number; readonly count: number }[]
    readonly count: number
    readonly sum: number
  }
  journalBytes: number
  /** What became of the conversations of agents. Absent when nodes do not store them. */
  history?: HistoryFigures
  unstoredWrites: number
  streams: readonly {
    readonly name: string
    readonly messages: number
    readonly bytes: number
    readonly limitBytes?: number
    readonly replicas: number
    readonly replicasInSync: number
    readonly replicaLag: number
  }[]
}

/** The metrics of a node of several. */
export const clusterMetrics = (figures: ClusterFigures): Metric[] => [
  ...nodeMetrics(figures),
  ...natsMetrics(figures),
  ...streamMetrics(figures),
  ...historyMetrics(figures),
]

const nodeMetrics = ({ nodes, takeovers, lostLeases }: ClusterFigures): Metric[] => {
  const of = (value: (node: NodeFigures) => number) =>
    nodes.map((each) => [labelsOf({ node: each.node }), value(each)] as const)
  return [
    gauges(
      'sluice_node_up',
      'Nodes with a lease, as this node sees them.',
      nodes.map(({ node, version }) => [labelsOf({ node, version }), 1] as const),
    ),
    gauges(
      'sluice_node_lease_age_seconds',
      'How long ago this node has seen the lease of a node renewed.',
      of(({ leaseAgeMs }) => leaseAgeMs / 1000),
    ),
    gauges(
      'sluice_node_owned_sessions',
      'Sessions that a node owns.',
      of(({ owned }) => owned),
    ),
    gauges(
      'sluice_node_running_agents',
      'Agents that work.',
      of(({ running }) => running),
    ),
    gauges(
      'sluice_node_max_agents',
      'How many agents may run.',
      of(({ maxAgents }) => maxAgents),
    ),
    gauges(
      'sluice_node_draining',
      'Whether a node takes no new sessions.',
      of(({ isDraining }) => Number(isDraining)),
    ),
    counter('sluice_takeovers_total', 'Sessions that this node took over.', takeovers),
    counter('sluice_lost_leases_total', 'How often this node lost its lease.', lostLeases),
  ]
}

const natsMetrics = (figures: ClusterFigures): Metric[] => [
  gauge('sluice_nats_connected', 'Whether NATS is connected.', Number(figures.isConnected)),
  counter('sluice_nats_disconnects_total', 'Lost connections to NATS.', figures.disconnects),
  gauge('sluice_tail_lag_messages', 'Stored messages that did not arrive yet.', figures.tailLag),
  gauge('sluice_journal_bytes', 'Size of the journal of what NATS lacks.', figures.journalBytes),
  gauge('sluice_unstored_writes', 'Writes that NATS has not stored yet.', figures.unstoredWrites),
  {
    name: 'sluice_append_seconds',
    kind: 'histogram',
    help: 'How long it took NATS to store a message of events.',
    values: [],
    parts: [
      ...figures.appends.buckets.map(
        ({ le, count }) => ['_bucket', labelsOf({ le: String(le) }), count] as const,
      ),
      ['_bucket', labelsOf({ le: '+Inf' }), figures.appends.count],
      ['_sum', '', figures.appends.sum],
      ['_count', '', figures.appends.count],
    ],
  },
]

const historyMetrics = ({ history }: ClusterFigures): Metric[] =>
  history
    ? [
        counter(
          'sluice_history_stored_total',
          'How often new parts of conversations were stored for other nodes.',
          history.stored,
        ),
        counter('sluice_history_bytes_total', 'How much of them was stored.', history.storedBytes),
        counter('sluice_history_failures_total', 'How often that failed.', history.failed),
        {
          name: 'sluice_history_arrivals_total',
          kind: 'counter',
          help: 'Sessions of other nodes, by what became of the conversation here.',
          values: (['restored', 'missing', 'older'] as const).map(
            (outcome) => [labelsOf({ outcome }), history[outcome]] as const,
          ),
        },
      ]
    : []

type Stream = ClusterFigures['streams'][number]

const streamMetrics = ({ streams }: ClusterFigures): Metric[] => {
  const of = (value: (stream: Stream) => number | undefined) =>
    streams.flatMap((each) => {
      const found = value(each)
      return found === undefined ? [] : [[labelsOf({ stream: each.name }), found] as const]
    })
  return [
    gauges(
      'sluice_jetstream_messages',
      'Stored messages.',
      of(({ messages }) => messages),
    ),
    gauges(
      'sluice_jetstream_bytes',
      'Size of a stream.',
      of(({ bytes }) => bytes),
    ),
    gauges(
      'sluice_jetstream_limit_bytes',
      'How large a stream may be. Absent without a limit.',
      of(({ limitBytes }) => limitBytes),
    ),
    gauges(
      'sluice_jetstream_replicas',
      'Copies that a stream should have.',
      of((each) => each.replicas),
    ),
    gauges(
      'sluice_jetstream_replicas_in_sync',
      'Copies that have everything, the leader included.',
      of(({ replicasInSync }) => replicasInSync),
    ),
    gauges(
      'sluice_jetstream_replica_lag',
      'How many operations the slowest copy is behind.',
      of(({ replicaLag }) => replicaLag),
    ),
  ]
}

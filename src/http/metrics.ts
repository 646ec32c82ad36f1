import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { OverviewTotals } from '../api/types.ts'
import type { StampedEvent } from '../events/types.ts'
import type { LogSpace } from '../log/log-space.ts'
import type { RetentionStatus } from '../session/registry/retention.ts'
import type { StreamFigures } from '../streams/figures.ts'
import { type ClusterFigures, clusterMetrics } from './cluster-metrics.ts'
import { counter, counters, formatMetric, gauge, labelText, type Metric } from './metric.ts'

/** The figures that other parts of the server count themselves. */
export interface MetricSources {
  version: string
  streams: StreamFigures
  sessions: Pick<OverviewTotals, 'sessions' | 'running' | 'approvals'>
  space: LogSpace
  /** Absent when the system does not say it, or when the log is in memory. */
  diskFreeBytes?: number | undefined
  /** Absent when everything is kept. */
  retention?: RetentionStatus | undefined
  /** Present where several nodes share the log. */
  cluster?: ClusterFigures | undefined
}

/** Counts events and responses for Prometheus. */
export interface Metrics {
  /** Counts an event. Call it for every event that is published. */
  countEvent(event: StampedEvent): void
  /** Counts a response that is not a stream. */
  countResponse(status: number): void
  /** All metrics, in the text format of Prometheus. */
  format(sources: MetricSources): string
  /** Stops measuring the event loop. */
  stop(): void
}

export const createMetrics = (): Metrics => {
  const unknownLines = new Map<string, number>()
  const errors = new Map<string, number>()
  const responses = new Map<string, number>()
  let exits = 0
  // Started by the first reader: its timer would cost CPU for nothing before.
  let delay: ReturnType<typeof monitorEventLoopDelay> | undefined

  const lagSeconds = (): number => {
    delay ??= monitorEventLoopDelay({ resolution: 20 })
    delay.enable()
    const lag = delay.max / 1e9
    delay.reset()
    return lag
  }

  return {
    countEvent(event) {
      if (event.type === 'raw') increment(unknownLines, `agent="${labelText(event.agent)}"`)
      if (event.type !== 'error') return
      increment(errors, `code="${event.code}"`)
      if (event.code === 'agent_exit') exits += 1
    },
    countResponse: (status) => increment(responses, `status="${status}"`),
    format: (sources) =>
      [
        ...sourceMetrics(sources),
        ...spaceMetrics(sources),
        ...(sources.cluster ? clusterMetrics(sources.cluster) : []),
        counters('sluice_unknown_lines_total', 'Unrecognised lines from agents.', unknownLines),
        counters('sluice_errors_total', 'Error events.', errors),
        counter('sluice_agent_exits_total', 'Agents that exited with an error.', exits),
        counters('sluice_http_requests_total', 'Responses, without streams.', responses),
        gauge(
          'sluice_event_loop_lag_seconds',
          'The longest event loop delay since the last scrape.',
          lagSeconds() || 0,
        ),
        ...processMetrics(),
      ]
        .map(formatMetric)
        .join(''),
    stop: () => delay?.disable(),
  }
}

const sourceMetrics = ({ version, streams, sessions }: MetricSources): Metric[] => [
  gauge('sluice_info', 'The running version.', 1, `version="${labelText(version)}"`),
  gauge('sluice_sessions', 'Stored sessions.', sessions.sessions),
  gauge('sluice_sessions_running', 'Sessions with an open run.', sessions.running),
  gauge('sluice_approvals_pending', 'Approvals that wait for a decision.', sessions.approvals),
  gauge('sluice_stream_clients', 'Open streams.', streams.clients),
  counter('sluice_stream_connections_total', 'Streams opened.', streams.connected),
  counter('sluice_events_total', 'Events published.', streams.events),
  counter('sluice_stream_bytes_total', 'Bytes written to streams.', streams.bytes),
  counter(
    'sluice_stream_cut_total',
    'Streams closed because the client was too slow.',
    streams.cut,
  ),
  gauge('sluice_stream_behind', 'Streams whose client is behind.', streams.behind),
  gauge('sluice_stream_lag_bytes', 'How far the slowest stream is behind.', streams.lagBytes),
]

const spaceMetrics = ({ space, diskFreeBytes, retention }: MetricSources): Metric[] => [
  gauge('sluice_database_bytes', 'Size of the database file.', space.databaseBytes),
  gauge('sluice_database_used_bytes', 'What the database holds.', space.usedBytes),
  gauge(
    'sluice_database_free_bytes',
    'Free space inside the database, which is given back step by step.',
    space.freeBytes,
  ),
  gauge('sluice_wal_bytes', 'Size of the write-ahead log beside the database.', space.walBytes),
  ...(diskFreeBytes === undefined
    ? []
    : [gauge('sluice_disk_free_bytes', 'Free space on the disk of the data.', diskFreeBytes)]),
  ...(retention ? retentionMetrics(retention) : []),
]

const retentionMetrics = ({ lastRunAt = 0, deleted, overBytes }: RetentionStatus): Metric[] => [
  gauge(
    'sluice_retention_last_run_seconds',
    'When old sessions were last looked for, in seconds since 1970.',
    lastRunAt / 1000,
  ),
  counter('sluice_retention_deleted_total', 'Sessions deleted by --keep.', deleted),
  gauge(
    'sluice_retention_over_bytes',
    'By how much the log exceeds --keep, because the rest is pinned or in use.',
    overBytes,
  ),
]

const processMetrics = (): Metric[] => {
  const { user, system } = process.cpuUsage()
  return [
    gauge('process_resident_memory_bytes', 'Resident memory.', process.memoryUsage.rss()),
    counter('process_cpu_seconds_total', 'CPU time.', (user + system) / 1e6),
  ]
}

const increment = (counts: Map<string, number>, labels: string): void => {
  counts.set(labels, (counts.get(labels) ?? 0) + 1)
}

import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { OverviewTotals } from '../api/types.ts'
import type { StampedEvent } from '../events/types.ts'
import type { StreamFigures } from '../streams/figures.ts'

/** What others have counted, at the moment of asking. */
export interface MetricSources {
  version: string
  feed: StreamFigures
  sessions: Pick<OverviewTotals, 'sessions' | 'running' | 'approvals'>
}

type Kind = 'counter' | 'gauge'

interface Metric {
  name: string
  kind: Kind
  help: string
  /** Labels as they are printed, with their value. */
  values: Iterable<readonly [labels: string, value: number]>
}

/** Counts what passes through the server; printed as Prometheus reads it. */
export const createMetrics = () => {
  const unknownLines = new Map<string, number>()
  const errors = new Map<string, number>()
  const requests = new Map<string, number>()
  let exits = 0
  // Begun when somebody asks for the first time: a timer that nobody reads would only cost.
  let delay: ReturnType<typeof monitorEventLoopDelay> | undefined

  return {
    /** Takes every event that is published. */
    event(event: StampedEvent): void {
      if (event.type === 'raw') add(unknownLines, `agent="${labelOf(event.agent)}"`)
      if (event.type !== 'error') return
      add(errors, `code="${event.code}"`)
      if (event.code === 'agent_exit') exits += 1
    },
    /** Takes every answer that is no stream. */
    request(status: number): void {
      add(requests, `status="${status}"`)
    },
    text({ version, feed, sessions }: MetricSources): string {
      delay ??= monitorEventLoopDelay({ resolution: 20 })
      delay.enable()
      const lag = delay.max / 1e9
      delay.reset()
      const { user, system } = process.cpuUsage()
      const metrics: Metric[] = [
        gauge('sluice_info', 'The version that runs.', 1, `version="${labelOf(version)}"`),
        gauge('sluice_sessions', 'Sessions that are kept.', sessions.sessions),
        gauge('sluice_sessions_running', 'Sessions with an open run.', sessions.running),
        gauge('sluice_approvals_pending', 'Questions that wait.', sessions.approvals),
        gauge('sluice_stream_clients', 'Open streams.', feed.clients),
        counter('sluice_stream_connections_total', 'Streams opened.', feed.connected),
        counter('sluice_events_total', 'Events published.', feed.events),
        counter('sluice_stream_bytes_total', 'Bytes given to streams.', feed.bytes),
        counter('sluice_stream_cut_total', 'Streams cut: too slow.', feed.cut),
        gauge('sluice_stream_behind', 'Streams that wait to be read from.', feed.behind),
        gauge('sluice_stream_lag_bytes', 'The most that one stream is behind.', feed.lagBytes),
        counters(
          'sluice_unknown_lines_total',
          'Lines of agents that were not known.',
          unknownLines,
        ),
        counters('sluice_errors_total', 'Error events.', errors),
        counter('sluice_agent_exits_total', 'Agents that ended with an error.', exits),
        counters('sluice_http_requests_total', 'Answers that are no streams.', requests),
        gauge('sluice_event_loop_lag_seconds', 'The longest since it was last asked.', lag || 0),
        gauge('process_resident_memory_bytes', 'Memory.', process.memoryUsage.rss()),
        counter('process_cpu_seconds_total', 'CPU time.', (user + system) / 1e6),
      ]
      return metrics.map(printed).join('')
    },
    stop(): void {
      delay?.disable()
    },
  }
}
export type Metrics = ReturnType<typeof createMetrics>

const add = (counts: Map<string, number>, labels: string): void => {
  counts.set(labels, (counts.get(labels) ?? 0) + 1)
}

const gauge = (name: string, help: string, value: number, labels = ''): Metric => ({
  name,
  kind: 'gauge',
  help,
  values: [[labels, value]],
})

const counter = (name: string, help: string, value: number): Metric => ({
  ...gauge(name, help, value),
  kind: 'counter',
})

const counters = (name: string, help: string, values: Metric['values']): Metric => ({
  name,
  kind: 'counter',
  help,
  values,
})

const printed = ({ name, kind, help, values }: Metric): string => {
  const lines = Array.from(values, ([labels, value]) =>
    labels === '' ? `${name} ${value}\n` : `${name}{${labels}} ${value}\n`,
  )
  return `# HELP ${name} ${help}\n# TYPE ${name} ${kind}\n${lines.join('')}`
}

const labelOf = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')

import { expect, test } from 'vitest'
import { createMetrics } from '../../src/http/metrics.ts'

test('metrics count unknown lines, errors and exits', () => {
  const metrics = createMetrics()
  const stamp = { sessionId: 's', seq: 1, timestamp: 0 }
  metrics.countEvent({ ...stamp, type: 'raw', agent: 'p"i', line: 'x' })
  metrics.countEvent({ ...stamp, type: 'error', code: 'agent_exit', message: '', fatal: false })
  metrics.countEvent({ ...stamp, type: 'error', code: 'torn_line', message: '', fatal: false })
  metrics.countResponse(200)
  metrics.countResponse(200)
  const streams = { clients: 1, connected: 2, events: 3, bytes: 4, cut: 5, behind: 6, lagBytes: 7 }
  const sessions = { sessions: 8, running: 9, approvals: 10 }
  const space = { databaseBytes: 11, usedBytes: 12, freeBytes: 13, walBytes: 14 }
  const retention = { lastRunAt: 15_000, deleted: 16, overBytes: 17 }
  const text = metrics.format({
    ...{ version: '1', streams, sessions, space, retention },
    diskFreeBytes: 18,
  })
  metrics.stop()
  expect(text).toContain('sluice_unknown_lines_total{agent="p\\"i"} 1\n')
  expect(text).toContain('sluice_errors_total{code="torn_line"} 1\n')
  expect(text).toContain('sluice_agent_exits_total 1\n')
  expect(text).toContain('sluice_http_requests_total{status="200"} 2\n')
  expect(text).toContain('sluice_stream_lag_bytes 7\n')
  expect(text).toContain('sluice_database_bytes 11\n')
  expect(text).toContain('sluice_wal_bytes 14\n')
  expect(text).toContain('sluice_disk_free_bytes 18\n')
  expect(text).toContain('sluice_retention_last_run_seconds 15\n')
  expect(text).toContain('sluice_retention_deleted_total 16\n')
  // Prometheus expects the type of each metric before its values.
  for (const [, name] of text.matchAll(/^(\w+)(?:\{.*\})? [\d.]+$/gm))
    expect(text).toContain(`# TYPE ${name} `)
})

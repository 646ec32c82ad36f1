import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type LocalServer, startLocalServer } from '../support/local-server.ts'
import { type NatsCluster, natsMissing, startNats } from '../support/nats-server.ts'
import { root } from '../support/sluice.ts'

const missing = natsMissing()
if (missing !== undefined) console.log(`skipped: metrics of a cluster: ${missing}`)

const dashboard = z.object({
  title: z.string(),
  uid: z.string(),
  schemaVersion: z.number(),
  templating: z.object({ list: z.array(z.object({ name: z.string(), type: z.string() })) }),
  panels: z.array(
    z.object({
      id: z.number(),
      type: z.enum(['row', 'stat', 'timeseries']),
      title: z.string().min(1),
      gridPos: z.object({ h: z.number(), w: z.number(), x: z.number(), y: z.number() }),
      targets: z.array(z.object({ expr: z.string(), refId: z.string() })).optional(),
    }),
  ),
})
const { panels, templating } = dashboard.parse(
  JSON.parse(readFileSync(join(root, 'docs/grafana/sluice-cluster.json'), 'utf8')),
)
const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))

describe('the Grafana dashboard', () => {
  test('has panels that do not overlap, each with queries', () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    const cells = panels.flatMap(({ gridPos: { h, w, x, y } }) =>
      Array.from({ length: h * w }, (_, at) => `${x + (at % w)}:${y + Math.floor(at / w)}`),
    )
    expect(new Set(cells).size).toBe(cells.length)
    for (const { type, targets = [] } of panels) if (type !== 'row') expect(targets).not.toEqual([])
    for (const { gridPos } of panels) expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24)
  })

  test('uses only variables that it defines, and closes its brackets', () => {
    const variables = new Set(templating.list.map(({ name }) => name))
    for (const query of queries) {
      for (const [, name = ''] of query.matchAll(/\$(\w+)/g)) expect(variables).toContain(name)
      for (const [open, close] of ['()', '{}', '[]'])
        expect(query.split(open ?? '').length).toBe(query.split(close ?? '').length)
    }
  })
})

describe.skipIf(missing !== undefined)('two nodes over one NATS server', () => {
  let nats: NatsCluster
  let one: LocalServer
  let two: LocalServer
  beforeAll(async () => {
    nats = await startNats()
    const open = (node: string) =>
      startLocalServer({ nats: { servers: nats.urls, tenant: 'metrics', node } })
    one = await open('one')
    two = await open('two')
  })
  afterAll(async () => {
    for (const server of [one, two]) {
      await server.close()
      server.remove()
    }
    await nats.stop()
  })

  const metricsOf = async (server: LocalServer): Promise<string> => {
    const response = await server.send('/metrics')
    expect(response.status).toBe(200)
    return response.text()
  }

  test('GET /metrics has the nodes, the appends and the streams', async () => {
    const { id } = await one.createDemoSession()
    await one.client.sessions.prompt(id, 'hello')
    for await (const { type } of one.client.sessions.stream(id))
      if (type === 'approval_request') break
    const text = await metricsOf(two)
    for (const node of ['one', 'two']) {
      expect(text).toMatch(new RegExp(`^sluice_node_up\\{node="${node}",version=".+"\\} 1$`, 'm'))
      expect(text).toMatch(new RegExp(`^sluice_node_lease_age_seconds\\{node="${node}"\\} `, 'm'))
    }
    expect(text).toContain('sluice_node_owned_sessions{node="one"} 1\n')
    expect(text).toContain('sluice_nats_connected 1\n')
    expect(text).toContain('sluice_takeovers_total 0\n')
    expect(text).toContain('sluice_tail_lag_messages 0\n')
    expect(text).toContain('sluice_journal_bytes 0\n')
    const stream = 'stream="sluice_metrics_events"'
    expect(text).toContain(`sluice_jetstream_replicas_in_sync{${stream}} 1\n`)
    expect(text).toMatch(new RegExp(`^sluice_jetstream_messages\\{${stream}\\} [1-9]`, 'm'))
    const own = await metricsOf(one)
    const count = Number(/^sluice_append_seconds_count (\d+)$/m.exec(own)?.[1])
    expect(count).toBeGreaterThan(1)
    expect(own).toContain(`sluice_append_seconds_bucket{le="+Inf"} ${count}\n`)
    // Each bucket includes the ones before it.
    const buckets = [...own.matchAll(/^sluice_append_seconds_bucket\{.+\} (\d+)$/gm)].map(
      ([, each]) => Number(each),
    )
    expect(buckets).toEqual(buckets.toSorted((left, right) => left - right))
  })

  test('every metric of the dashboard exists', async () => {
    const text = await metricsOf(one)
    const names = new Set<string>()
    for (const [, name = '', kind = ''] of text.matchAll(/^# TYPE (\w+) (\w+)$/gm)) {
      const suffixes = kind === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']
      for (const suffix of suffixes) names.add(name + suffix)
    }
    const used = queries.flatMap((query) =>
      [...query.matchAll(/\b(?:sluice|process)_\w+/g)].map(([name]) => name),
    )
    expect(used.length).toBeGreaterThan(20)
    for (const name of used) expect(names).toContain(name)
    // Nothing of a cluster is left out.
    const shown = new Set(used)
    const cluster = [...names].filter((name) =>
      /^sluice_(?:node|nats|jetstream|takeovers|lost_leases|journal|tail|unstored)_/.test(name),
    )
    for (const name of cluster) expect(shown).toContain(name)
  })
})

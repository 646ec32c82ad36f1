import { expect, test } from 'vitest'
import { costReport } from '../../../src/api/cost.ts'
import { createClient } from '../../../src/client/index.ts'
import { usageEvent } from '../../log/samples.ts'
import { startMemoryServer } from '../../support/memory-server.ts'

const at = Date.parse('2026-11-15T22:50Z')

const start = async () => {
  const server = await startMemoryServer()
  await server.log.append('s', [usageEvent('s', 1, at, { opus: { input: 7, costUsd: 2 } })])
  const client = createClient({ url: new URL(server.url).origin, token: server.key })
  return { ...server, client }
}

test('GET cost returns the sums of a range in a time zone', async () => {
  const { client } = await start()
  const report = await client.cost({ group: 'day', timezone: 'Asia/Tokyo', breakdown: 'true' })
  expect(costReport.parse(report)).toMatchObject({
    rows: [{ key: '2026-11-16', sums: { costUsd: 2 }, models: [{ model: 'opus' }] }],
    total: { input: 7, costUsd: 2 },
  })
  expect(await client.cost({ since: at + 900_000, group: 'session' })).toMatchObject({ rows: [] })
  expect(await client.cost()).toMatchObject({ group: 'day', rows: [{ sums: { input: 7 } }] })
  expect(await client.cost({ projectId: 'none' })).toMatchObject({ total: { costUsd: null } })
})

test('a time zone that does not exist, and a wrong group, are refused', async () => {
  const { url, key } = await start()
  for (const query of ['timezone=Mars', 'group=year', 'since=soon', 'limit=0', 'breakdown=yes']) {
    const headers = { authorization: `Bearer ${key}` }
    expect((await fetch(`${url}/cost?${query}`, { headers })).status, query).toBe(422)
  }
})

import { expect, test } from 'vitest'
import { nodesText } from '../../src/cli/nodes.ts'

const node = {
  ...{ name: 'one', isThis: true, version: '0.1.0', url: 'http://127.0.0.1:3000/' },
  ...{ state: 'active' as const, sessions: 2, running: 1, maxAgents: 16, agents: ['demo'] },
  ...{ leaseAgeMs: 400, leaseMs: 15_000, startedAt: 0 },
}
const list = {
  nodes: [node],
  storage: { replicas: 3, promise: '3 NATS servers store everything.' },
}

test('below the nodes is how safe their data is', () => {
  const text = nodesText(list, { status: 'ok', reasons: [], version: '0.1.0' })
  expect(text.trimEnd().split('\n').at(-1)).toBe('3 NATS servers store everything.')
})

test('while NATS is away, nothing is promised', () => {
  const text = nodesText(list, {
    ...{ status: 'degraded', version: '0.1.0' },
    reasons: [{ code: 'log_unreachable', detail: 'NATS does not answer.' }],
  })
  expect(text).toContain('one*')
  expect(text.trimEnd().split('\n').at(-1)).toBe('NATS does not answer.')
})

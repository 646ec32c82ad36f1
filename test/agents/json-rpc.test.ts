import { expect, test } from 'vitest'
import { createRpcPeer, type RpcOutcome } from '../../src/agents/json-rpc.ts'

const connect = (hasVersion = true) => {
  const written: unknown[] = []
  const peer = createRpcPeer({ hasVersion, write: (lines) => void written.push(...lines) })
  return { peer, written }
}

test('a response reaches the request that waits for it, once', () => {
  const { peer, written } = connect()
  const outcomes: RpcOutcome[] = []
  const id = peer.request('session/new', { cwd: '/p' }, (outcome) => outcomes.push(outcome))
  expect(written).toEqual([{ jsonrpc: '2.0', id, method: 'session/new', params: { cwd: '/p' } }])
  const line = { jsonrpc: '2.0', id, result: { sessionId: 's' } }
  expect(peer.receive(line)).toMatchObject({ kind: 'response', method: 'session/new' })
  expect(peer.receive(line)).not.toHaveProperty('method')
  expect(outcomes).toEqual([{ result: { sessionId: 's' } }])
})

test('ids of both sides overlap, and a method shows which side asks', () => {
  const { peer, written } = connect(false)
  const outcomes: RpcOutcome[] = []
  const id = peer.request('turn/start', {}, (outcome) => outcomes.push(outcome))
  expect(peer.receive({ id, method: 'item/requestApproval', params: { itemId: 'i' } })).toEqual({
    kind: 'request',
    id,
    method: 'item/requestApproval',
    params: { itemId: 'i' },
  })
  expect(outcomes).toEqual([])
  peer.respond(id, { decision: 'accept' })
  expect(written.at(-1)).toEqual({ id, result: { decision: 'accept' } })
  peer.receive({ id, result: {} })
  expect(outcomes).toEqual([{ result: {} }])
})

test('an error is an outcome, also one that names no request', () => {
  const { peer } = connect()
  const outcomes: RpcOutcome[] = []
  const id = peer.request('session/load', {}, (outcome) => outcomes.push(outcome))
  peer.receive({ id, error: { code: -32_002, message: 'Unknown', data: { id: 1 } } })
  peer.receive({ id, error: { code: -1, message: 'again' } })
  expect(outcomes).toEqual([{ error: { code: -32_002, message: 'Unknown', data: { id: 1 } } }])
  for (const line of [{ id: null, error: { code: -32_700 } }, { error: { code: -32_700 } }])
    expect(peer.receive(line)).toMatchObject({
      kind: 'response',
      id: null,
      outcome: { error: { code: -32_700, message: expect.any(String) } },
    })
})

test('notifications have no id, and what is no message is invalid', () => {
  const { peer, written } = connect()
  expect(peer.receive({ method: 'session/update', params: 'x' })).toEqual({
    kind: 'notification',
    method: 'session/update',
    params: {},
  })
  peer.notify('initialized')
  expect(written).toEqual([{ jsonrpc: '2.0', method: 'initialized' }])
  for (const line of [null, 3, 'x', [], {}, { id: 1 }, { id: {}, result: 1 }])
    expect(peer.receive(line)).toEqual({ kind: 'invalid' })
})

import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { openMemoryLog } from '../../../src/log/index.ts'
import { createRecordFeed } from '../../../src/log/jetstream/record-feed.ts'
import { createStateKeeper } from '../../../src/session/registry/state-keeper.ts'
import { session } from '../../log/samples.ts'

beforeEach(() => {
  vi.useFakeTimers()
})

/** A session of this node that works, while another node has stored that it is idle. */
const openKeeper = async () => {
  onTestFinished(() => void vi.useRealTimers())
  const { sessions } = await openMemoryLog()
  await sessions.create(session('s', { state: 'idle' }))
  const { onRecord, publish } = createRecordFeed()
  const saved: unknown[] = []
  const keeper = createStateKeeper({
    log: { sessions, shared: { onRecord } },
    ownership: { holds: () => true },
    isSaving: () => false,
    save: (id, change) => void saved.push([id, change]),
    onError: (cause) => expect.unreachable(String(cause)),
  })
  keeper.opened('s')
  keeper.changed('s', { state: 'running', pid: 7 })
  publish({ kind: 'session', id: 's' })
  return { keeper, publish, saved }
}

test('a state that another node has stored is corrected', async () => {
  const { saved } = await openKeeper()
  await vi.advanceTimersByTimeAsync(1000)
  expect(saved).toEqual([['s', { state: 'running', pid: 7 }]])
})

test('the state of a session that was unloaded is not stored again', async () => {
  const { keeper, publish, saved } = await openKeeper()
  keeper.closed('s')
  publish({ kind: 'session', id: 's' })
  await vi.advanceTimersByTimeAsync(5000)
  expect(saved).toEqual([])
})

test('after its end, nothing is stored', async () => {
  const { keeper, publish, saved } = await openKeeper()
  keeper.close()
  publish({ kind: 'session', id: 's' })
  await vi.advanceTimersByTimeAsync(5000)
  expect(saved).toEqual([])
})

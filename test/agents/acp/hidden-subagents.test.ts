import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { readyRig } from '../../support/acp-rig.ts'
import { ofType } from '../../support/decoded.ts'

/** A run of an agent in which a subagent works. */
const startSubagent = (name = 'OpenCode') => {
  const rig = readyRig({}, name)
  rig.connection.send({ type: 'prompt', id: 'c1', text: 'hi' })
  const update = (fields: object) =>
    rig.receive({ method: 'session/update', params: { sessionId: 's1', update: fields } })
  const call = { toolCallId: 't1', kind: 'think', rawInput: { subagent_type: 'general' } }
  update({ sessionUpdate: 'tool_call', ...call, title: 'task', status: 'pending' })
  const work = (status = 'in_progress') =>
    update({ sessionUpdate: 'tool_call_update', ...call, title: 'Child', status })
  const notices = () => ofType(rig.events, 'session_update').flatMap(({ notice }) => notice ?? [])
  work()
  return { ...rig, work, notices }
}

describe('a subagent whose requests never reach the client', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  test('is named once, after a minute without a line', () => {
    const { notices, work } = startSubagent()
    vi.advanceTimersByTime(50_000)
    work()
    vi.advanceTimersByTime(59_000)
    expect(notices()).toEqual([])
    vi.advanceTimersByTime(1000)
    expect(notices()).toMatchObject([{ level: 'warning' }])
    expect(notices()[0]?.text).toMatch(
      /does not forward the permission requests of subagents.*stop/,
    )
    work()
    vi.advanceTimersByTime(600_000)
    expect(notices()).toHaveLength(1)
  })

  test('is not named when it has ended, when the process is gone, or of another agent', () => {
    const ended = startSubagent()
    ended.work('completed')
    const gone = startSubagent()
    gone.connection.decoder.end()
    const other = startSubagent('Some agent')
    vi.advanceTimersByTime(600_000)
    for (const { notices } of [ended, gone, other]) expect(notices()).toEqual([])
    expect(vi.getTimerCount()).toBe(0)
  })
})

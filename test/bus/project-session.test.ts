import { describe, expect, test } from 'vitest'
import { projectSession } from '../../src/bus/index.ts'
import { type AgentEvent, createStamp } from '../../src/events/index.ts'

describe('the projection that is the same for every agent', () => {
  const stamp = createStamp('s', () => 7)
  const subjects = (event: AgentEvent) => projectSession(stamp(event)).map(({ subject }) => subject)

  test('has the stored event itself', () => {
    const event = stamp({ type: 'turn_start' })
    const [message, ...others] = projectSession(event)
    expect(message?.subject).toBe('session.event')
    expect(message?.payload).toBe(event)
    expect(others).toEqual([])
  })

  test('a run makes its session running, then idle', () => {
    const states = (event: AgentEvent) => projectSession(stamp(event)).slice(1)
    const updated = (state: string) => ({
      subject: 'session.updated',
      payload: { sessionId: 's', timestamp: 7, state },
    })
    expect(states({ type: 'agent_start' })).toEqual([updated('running')])
    expect(states({ type: 'agent_end' })).toEqual([updated('idle')])
  })

  test('approvals have subjects of their own', () => {
    const approvalId = 'a'
    expect(subjects({ type: 'approval_request', kind: 'tool', approvalId })).toEqual([
      'session.event',
      'approval.requested',
    ])
    expect(
      subjects({ type: 'approval_resolved', approvalId, action: 'deny', outcome: 'expired' }),
    ).toEqual(['session.event', 'approval.resolved'])
  })

  test('a session is updated only by changes of the session as a whole', () => {
    const changed = stamp({ type: 'session_update', model: 'm', reset: true })
    expect(projectSession(changed)[1]).toEqual({
      subject: 'session.updated',
      payload: { sessionId: 's', timestamp: 7, model: 'm' },
    })
    expect(subjects({ type: 'session_update', reset: true })).toEqual(['session.event'])
    expect(subjects({ type: 'session_update', model: 'm', parentToolCallId: 'c' })).toEqual([
      'session.event',
    ])
  })
})

import { expect, test } from 'vitest'
import { createMentions } from '../../src/cli/chat/mentions.ts'
import type { AgentCommand, StampedEvent } from '../../src/events/types.ts'

const listed = (seq: number, ...commands: AgentCommand[]): StampedEvent => ({
  type: 'session_update',
  sessionId: 's',
  seq,
  timestamp: 0,
  commands,
})

test('what an agent lists can be completed, also from earlier events, until it lists something else', () => {
  const mentions = createMentions([listed(1, { name: 'old', kind: 'command' })])
  expect(mentions.list()).toEqual(['/old'])
  mentions.follow(
    listed(
      2,
      { name: 'skill:deploy', kind: 'skill' },
      { name: 'Explore', kind: 'agent' },
      { name: 'review', kind: 'command' },
    ),
  )
  expect(mentions.list()).toEqual(['/review', '/skill:deploy', '@agent-Explore'])
})

test('names that hide something are not offered', () => {
  const names = ['fine', 'a b', 'bad\x1b[8m', 'r\u202eev', '']
  const mentions = createMentions([
    listed(1, ...names.map((name) => ({ name, kind: 'command' as const }))),
  ])
  expect(mentions.list()).toEqual(['/fine'])
})

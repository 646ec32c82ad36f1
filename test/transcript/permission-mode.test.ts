import { expect, test } from 'vitest'
import { applyEvents } from '../../src/transcript/apply.ts'
import { fromSnapshot } from '../../src/transcript/from-snapshot.ts'
import { toSnapshot } from '../../src/transcript/to-snapshot.ts'
import { emptyTranscript } from '../../src/transcript/transcript.ts'

test('the permission mode and the figures of the last run are part of a snapshot', () => {
  const transcript = applyEvents(emptyTranscript('s'), [
    { type: 'session_start', agent: 'claude', permissionMode: 'plan' },
    { type: 'session_update', permissionMode: 'acceptEdits' },
    { type: 'agent_start' },
    { type: 'agent_end', stopReason: 'stop', durationMs: 9, durationApiMs: 5, numTurns: 1 },
  ])
  const snapshot = toSnapshot(transcript, { projectId: 'p' })
  expect(snapshot).toMatchObject({
    permissionMode: 'acceptEdits',
    outcome: { durationMs: 9, durationApiMs: 5, numTurns: 1 },
  })
  expect(fromSnapshot(snapshot)).toEqual(transcript)
})

import { expect, test } from 'vitest'
import { applyEvents } from '../../src/transcript/apply.ts'
import { fromSnapshot } from '../../src/transcript/from-snapshot.ts'
import { listItems } from '../../src/transcript/list.ts'
import { threadAt } from '../../src/transcript/threads.ts'
import { toSnapshot } from '../../src/transcript/to-snapshot.ts'
import { emptyTranscript, type Transcript } from '../../src/transcript/transcript.ts'

const entriesOf = (transcript: Transcript) => listItems(threadAt(transcript, 0).entries)

test('a shell command of a person is an entry with its output, also after a run ended', () => {
  const running = applyEvents(emptyTranscript('s'), [
    { type: 'session_start', agent: 'pi' },
    { type: 'agent_start' },
    { type: 'session_update', shell: { id: '1', command: 'make' } },
    { type: 'agent_end' },
    { type: 'session_update', shell: { id: '1', outputDelta: 'built\n' } },
  ])
  expect(entriesOf(running)).toMatchObject([
    { kind: 'tool', toolName: 'bash', status: 'running', args: { command: 'make' } },
  ])
  const restored = fromSnapshot(toSnapshot(running, { projectId: 'p' }))
  const ended = applyEvents(restored, [
    { type: 'session_update', shell: { id: '1', exitCode: 2, cancelled: false } },
  ])
  expect(entriesOf(ended)).toMatchObject([{ status: 'failed', output: 'built\n', exitCode: 2 }])
  const cancelled = applyEvents(running, [
    { type: 'session_update', shell: { id: '1', cancelled: true } },
  ])
  expect(entriesOf(cancelled)).toMatchObject([{ status: 'interrupted' }])
})

test('a snapshot has what can be chosen', () => {
  const choices = {
    permissionMode: 'plan',
    modes: [{ id: 'plan' }, { id: 'default', label: 'Ask' }],
    thinkingLevel: 'low',
    thinkingLevels: ['low', 'high'],
    autoCompaction: true,
    autoRetry: false,
  }
  const transcript = applyEvents(emptyTranscript('s'), [{ type: 'session_update', ...choices }])
  const snapshot = toSnapshot(transcript, { projectId: 'p' })
  expect(snapshot).toMatchObject(choices)
  expect(fromSnapshot(snapshot)).toMatchObject(choices)
})

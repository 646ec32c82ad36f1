import { expect, test } from 'vitest'
import { answer, assistant, init, result, use } from '../support/claude-lines.ts'
import { decoderOf, ofType } from '../support/decoded.ts'

const decode = decoderOf('claude')

test.each([
  [
    { shell_id: 'b1' },
    '{"message":"Successfully killed shell: b1 (npm start)","shell_id":"b1"}',
    'stopped',
  ],
  [{ bash_id: 'b1' }, '<status>completed</status>\n\n<exit_code>0</exit_code>', 'completed'],
  [
    { task_id: 'b1' },
    '<retrieval_status>success</retrieval_status>\n\n<status>failed</status>',
    'failed',
  ],
])(
  'a version without lines about tasks shows the end of one in a result: %j',
  (input, shown, state) => {
    const events = decode(
      init,
      assistant('m', use('a', 'Bash', { command: 'npm start', run_in_background: true })),
      answer('a', 'Command running in background with ID: b1'),
      assistant('n', use('b', 'KillShell', input)),
      answer('b', shown),
      result(),
    )
    const updates = ofType(events, 'session_update')
    expect(updates.flatMap(({ task }) => task?.state ?? [])).toEqual(['running', state])
    expect(updates.flatMap(({ backgroundTasks: list }) => (list ? [list] : []))).toEqual([
      ['b1'],
      [],
    ])
  },
)

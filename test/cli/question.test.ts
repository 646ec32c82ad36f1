import { expect, test } from 'vitest'
import { questionOf } from '../../src/cli/question.ts'

const asked = { type: 'approval_request', approvalId: 'a', deadline: 0 } as const
const lines = (of: object) =>
  questionOf({ ...asked, ...of })
    .split('\n')
    .slice(0, -1)

test('each argument stands under its name, a long one in its own lines', () => {
  const args = { command: 'cd src\nnpm test\n', timeout: 5, env: { CI: '1' } }
  expect(lines({ toolName: 'bash', args })).toEqual([
    '? Allow bash?',
    '  command:',
    '    cd src',
    '    npm test',
    '  timeout: 5',
    '  env: {"CI":"1"}',
  ])
})

test('nothing of it steers the terminal', () => {
  const args = { command: 'echo \u001b[2Jhidden\rrm' }
  expect(lines({ toolName: 'ba\u0007sh', args })).toEqual([
    '? Allow ba sh?',
    '  command: echo  [2Jhidden rm',
  ])
})

test('a dialog is asked by its title', () => {
  expect(lines({ dialog: { kind: 'confirm', title: 'Sure?' } })).toEqual(['? Sure?'])
  expect(lines({})).toEqual(['? Go on?'])
})

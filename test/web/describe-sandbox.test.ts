import { expect, test } from 'vitest'
import { describeSandbox } from '../../web/src/overview/describe-sandbox.ts'

test('a machine without a sandbox is named plainly, with the reason', () => {
  const reason = 'Bubblewrap is not installed (no `bwrap` on PATH).'
  expect(describeSandbox({ mode: 'off', reason })).toBe(
    'Agents are not sandboxed on this machine. Bubblewrap is not installed (no bwrap on PATH). A command that you allow can control Sluice.',
  )
})

test('a sandbox is named with what it promises', () => {
  expect(describeSandbox({ mode: 'on' })).toContain('cannot reach the data of Sluice')
  expect(describeSandbox({ mode: 'project' })).toContain('write only to their project')
})

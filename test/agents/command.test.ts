import { expect, test } from 'vitest'
import { claude } from '../../src/agents/claude/index.ts'
import { pi } from '../../src/agents/pi/index.ts'

test('Pi runs in print mode, with the model and the extra arguments', () => {
  expect(pi.command('Hello', { model: 'a/b', extra: ['--no-session'] })).toEqual([
    '-p',
    '--mode',
    'json',
    '--model',
    'a/b',
    '--no-session',
    'Hello',
  ])
})

test('Claude Code gets the prompt first, where no flag with a list can swallow it', () => {
  const args = claude.command('Hello', { extra: ['--allowedTools', 'Bash', 'Read'] })
  expect(args[0]).toBe('Hello')
  expect(args.slice(-3)).toEqual(['--allowedTools', 'Bash', 'Read'])
  expect(args).toContain('--include-partial-messages')
})

test.each([pi, claude])('$title never reads a prompt as a flag or a file', ({ command }) => {
  expect(command('--help')).toContain(' --help')
  expect(command('@secrets')).toContain(' @secrets')
})

test('Claude Code prints what hooks do, if its version has the flag', () => {
  const flag = '--include-hook-events'
  expect(claude.command('Hello', { version: '2.1.325' })).toContain(flag)
  expect(claude.live?.args({ version: '2.1.112' })).toContain(flag)
  expect(claude.live?.args({ version: '2.0.77' })).not.toContain(flag)
  expect(claude.live?.args({})).not.toContain(flag)
  expect(claude.env).toMatchObject({ CLAUDE_CODE_FORWARD_SUBAGENT_TEXT: '1' })
})

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

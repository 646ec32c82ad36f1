import { expect, test } from 'vitest'
import { agents } from '../../src/agents/index.ts'

test('Pi: print mode, with the model and what the person added', () => {
  expect(agents.pi.command('Hello', { model: 'a/b', extra: ['--no-session'] })).toEqual([
    '-p',
    '--mode',
    'json',
    '--model',
    'a/b',
    '--no-session',
    'Hello',
  ])
})

test('Claude Code: the prompt stands where no list of a flag can swallow it', () => {
  const args = agents.claude.command('Hello', { extra: ['--allowedTools', 'Bash', 'Read'] })
  expect(args[0]).toBe('Hello')
  expect(args.slice(-3)).toEqual(['--allowedTools', 'Bash', 'Read'])
  expect(args).toContain('--include-partial-messages')
})

test.each(['pi', 'claude'] as const)('%s: a prompt is never a flag or a file', (name) => {
  expect(agents[name].command('--help')).toContain(' --help')
  expect(agents[name].command('@secrets')).toContain(' @secrets')
})

import { expect, test } from 'vitest'
import { claudeEntry } from '../../src/agents/claude/entry.ts'
import { codexEntry } from '../../src/agents/codex/entry.ts'
import { piEntry } from '../../src/agents/pi/entry.ts'
import { loginAdvice } from '../../src/events/login-advice.ts'

test.each([
  [claudeEntry, 'Not logged in · Please run /login'],
  [claudeEntry, 'API Error: 401 {"type":"authentication_error"}'],
  [piEntry, 'Pi exited with code 1.\nNo API key found for the selected model.'],
  [codexEntry, 'unexpected status 401 Unauthorized'],
])('an error about a login names the way to log in: %#', (agent, message) => {
  expect(loginAdvice(agent, message)).toBe(`${agent.title} needs a login. ${agent.login}`)
})

test.each([
  'API Error: 529 Overloaded',
  'The prompt is too long: 214015 tokens',
  'This operation was aborted',
  `Codex needs a login (401). ${codexEntry.login} Then try again.`,
])('another error, or one that names it already, does not: %s', (message) => {
  expect(loginAdvice(codexEntry, message)).toBeUndefined()
})

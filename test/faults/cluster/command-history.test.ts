import { expect, test } from 'vitest'
import type { Trial } from '../fault.ts'
import { createRandom } from '../random.ts'
import { createCommandHistory } from './command-history.ts'

const trial: Trial = {
  ...{ seed: 1, random: createRandom(1), goesOn: () => false },
  ...{ count() {}, note() {}, defer() {} },
}

/** A history of three prompts: one was accepted, and two were refused. */
const recorded = () => {
  const history = createCommandHistory([], '', createRandom(1))
  history.notePrompt('s', 'one', 'accepted')
  history.notePrompt('s', 'two', 'agent_busy')
  history.notePrompt('s', 'three', 'agent_failed')
  return (texts: readonly string[], isFailed = false) =>
    () => {
      const stored = texts.map((text) => ({ text, isFailed }))
      history.compare('s', stored, trial)
    }
}

test('a prompt that was accepted must be in the log, once', () => {
  const compare = recorded()
  expect(compare(['one', 'another'])).not.toThrow()
  expect(compare(['one', 'one'])).toThrow('is stored 2 times')
  expect(compare([])).toThrow('was accepted, and is not in the log')
})

test('a prompt that was refused must not be in the log', () => {
  expect(recorded()(['one', 'two'])).toThrow('was refused with agent_busy, and is in the log')
  expect(recorded()(['one', 'two'], true)).toThrow('was refused with agent_busy')
})

test('a prompt whose agent died first may be in the log as failed', () => {
  expect(recorded()(['one', 'three'])).toThrow('was refused with agent_failed')
  expect(recorded()(['one', 'three'], true)).not.toThrow()
})

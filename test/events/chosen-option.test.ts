import { expect, test } from 'vitest'
import { chosenOption, offersDecision } from '../../src/events/chosen-option.ts'
import type { DecisionKind, DecisionOption } from '../../src/events/types.ts'

const option = (id: string, kind: DecisionKind): DecisionOption => ({ id, label: id, kind })

const all = [
  option('project', 'allow_always'),
  option('user', 'allow_always'),
  option('once', 'allow_once'),
  option('never', 'reject_always'),
  option('no', 'reject_once'),
]

test('a choice is found by its id, because kinds repeat', () => {
  expect(chosenOption(all, { action: 'allow', optionId: 'user' })?.id).toBe('user')
  expect(chosenOption(all, { action: 'allow', optionId: 'other' })).toBeUndefined()
})

test('a decision without a choice is the plainest of its kind', () => {
  expect(chosenOption(all, { action: 'allow' })?.id).toBe('once')
  expect(chosenOption(all, { action: 'deny' })?.id).toBe('no')
  const strict = [option('abort', 'stop'), option('never', 'reject_always')]
  expect(chosenOption(strict, { action: 'deny' })?.id).toBe('abort')
})

test('allowing once never becomes allowing always', () => {
  const [forGood] = all
  const onlyForGood = forGood ? [forGood] : []
  expect(chosenOption(onlyForGood, { action: 'allow' })).toBeUndefined()
  expect(offersDecision(onlyForGood, { action: 'allow' })).toBe(false)
  expect(offersDecision(onlyForGood, { action: 'allow', optionId: 'project' })).toBe(true)
  expect(offersDecision(onlyForGood, { action: 'deny' })).toBe(true)
})

test('a choice must be offered, and fit the decision', () => {
  expect(offersDecision(all, { action: 'deny', optionId: 'once' })).toBe(false)
  expect(offersDecision(all, { action: 'allow', optionId: 'other' })).toBe(false)
  expect(offersDecision(undefined, { action: 'allow', optionId: 'once' })).toBe(false)
  expect(offersDecision(undefined, { action: 'allow' })).toBe(true)
})

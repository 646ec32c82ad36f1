import { expect, test } from 'vitest'
import { answerIn, questionsIn, withAnswers } from '../../../src/agents/tool-calls/questions.ts'

const options = [{ label: 'Red' }, { label: 'Blue', description: 'calm' }, { wrong: 1 }]
const args = {
  questions: [{ question: 'Which?', header: 'Colour', options, multiSelect: true }, {}, 7],
}

test('reads the questions in the arguments of a call', () => {
  expect(questionsIn(args)).toEqual([
    {
      question: 'Which?',
      header: 'Colour',
      options: [{ label: 'Red' }, { label: 'Blue', description: 'calm' }],
      multiSelect: true,
    },
  ])
})

test.each([undefined, null, 'x', {}, { questions: 'x' }])('finds no questions in %j', (value) => {
  expect(questionsIn(value)).toEqual([])
})

test('puts answers into the arguments, and finds them there', () => {
  const answered = withAnswers(args, { 'Which?': ['Red', 'Blue'] })
  expect(answered).toEqual({ ...args, answers: { 'Which?': 'Red, Blue' } })
  expect(answerIn(answered, 'Which?')).toBe('Red, Blue')
  expect(answerIn(args, 'Which?')).toBeUndefined()
})

import { expect, test } from 'vitest'
import { collapseErrors } from '../../src/cli/collapse-errors.ts'
import type { RunResult, StreamHandler } from '../../src/handler/stream-handler.ts'

const result: RunResult = {
  ...{ text: '', finalText: '', durationMs: 1, costUsd: null, turns: 0, isError: true },
  ...{ stopReason: undefined, errorMessage: undefined, usage: null, context: null },
}

const record = () => {
  const lines: string[] = []
  const handler: StreamHandler = {
    onText: (text) => lines.push(text),
    onToolCall: (name) => lines.push(name),
    onToolResult: () => {},
    onError: (error) => lines.push(`error: ${error}`),
    onComplete: () => lines.push('end'),
  }
  return { lines, handler: collapseErrors(handler) }
}

test('a flood of errors that are alike is printed three times, and counted', () => {
  const { lines, handler } = record()
  for (let at = 0; at < 1000; at += 1) handler.onError(`A line of ${at} bytes is not JSON.`)
  handler.onComplete(result)
  expect(lines).toEqual([
    'error: A line of 0 bytes is not JSON.',
    'error: A line of 1 bytes is not JSON.',
    'error: A line of 2 bytes is not JSON.',
    'error: … and 997 more of these.',
    'end',
  ])
})

test('other errors, and errors after text, are printed', () => {
  const { lines, handler } = record()
  for (const error of ['a', 'a', 'a', 'a', 'b']) handler.onError(error)
  handler.onText('text')
  handler.onError('b')
  expect(lines).toEqual([
    ...['error: a', 'error: a', 'error: a', 'error: … and 1 more of these.'],
    ...['error: b', 'text', 'error: b'],
  ])
})

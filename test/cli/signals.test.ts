import { expect, onTestFinished, test } from 'vitest'
import { onStopSignal } from '../../src/cli/signals.ts'

const taken = (...signals: NodeJS.Signals[]): NodeJS.Signals[] => {
  const seen: NodeJS.Signals[] = []
  const stop = onStopSignal((signal) => seen.push(signal))
  onTestFinished(stop)
  for (const signal of signals) process.emit(signal, signal)
  stop()
  return seen
}

test('a second signal forces the exit', () => {
  expect(taken('SIGINT', 'SIGINT', 'SIGTERM')).toEqual(['SIGINT', 'SIGINT', 'SIGTERM'])
})

test('a closed window sends SIGHUP twice and counts once', () => {
  expect(taken('SIGHUP', 'SIGHUP', 'SIGINT', 'SIGHUP')).toEqual(['SIGHUP', 'SIGINT'])
})

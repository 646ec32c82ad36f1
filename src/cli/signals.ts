import { constants } from 'node:os'

/** Those that ask a program to end: Ctrl-C, whoever started it, a window that was closed. */
const endings = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Calls for each of them; gives its undo. A closed window is told by the system and by the shell,
 * so that once more of it is no impatience: it is taken once.
 */
export const onEnding = (take: (signal: NodeJS.Signals) => void): (() => void) => {
  let isHungUp = false
  const taken = (signal: NodeJS.Signals) => {
    if (signal === 'SIGHUP' && isHungUp) return
    isHungUp ||= signal === 'SIGHUP'
    take(signal)
  }
  for (const signal of endings) process.on(signal, taken)
  return () => {
    for (const signal of endings) process.off(signal, taken)
  }
}

/** The first that comes, and that one more came. Where nobody reads any more, that is one, too. */
export const watchEndings = (closed?: AbortSignal) => {
  const first = Promise.withResolvers<NodeJS.Signals>()
  const second = Promise.withResolvers<void>()
  let count = 0
  const stop = onEnding((signal) => {
    count += 1
    if (count === 1) first.resolve(signal)
    else second.resolve()
  })
  closed?.addEventListener('abort', () => first.resolve('SIGHUP'))
  return { first: first.promise, second: second.promise, stop }
}
export type Endings = ReturnType<typeof watchEndings>

/** As shells tell it: 130 for SIGINT. */
export const codeOfSignal = (signal: NodeJS.Signals): number => 128 + constants.signals[signal]

import { constants } from 'node:os'

/** Ctrl-C, a service manager, a terminal window that is closed. */
const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Calls the listener for each stop signal; returns the undo. A closed window sends SIGHUP twice, from
 * the kernel and from the shell, so a second SIGHUP is ignored: it does not mean "at once".
 */
export const onStopSignal = (listener: (signal: NodeJS.Signals) => void): (() => void) => {
  let isHungUp = false
  const handle = (signal: NodeJS.Signals) => {
    if (signal === 'SIGHUP' && isHungUp) return
    isHungUp ||= signal === 'SIGHUP'
    listener(signal)
  }
  for (const signal of stopSignals) process.on(signal, handle)
  return () => {
    for (const signal of stopSignals) process.off(signal, handle)
  }
}

/** The stop signals of this process. */
export interface StopSignals {
  /** Resolves with the first signal; a closed stdout counts as one, too. */
  readonly first: Promise<NodeJS.Signals>
  /** Resolves when a second signal arrives. */
  readonly second: Promise<void>
  /** Stops listening. */
  stop(): void
}

export const watchStopSignals = (closed?: AbortSignal): StopSignals => {
  const first = Promise.withResolvers<NodeJS.Signals>()
  const second = Promise.withResolvers<void>()
  let count = 0
  const stop = onStopSignal((signal) => {
    count += 1
    if (count === 1) first.resolve(signal)
    else second.resolve()
  })
  closed?.addEventListener('abort', () => first.resolve(signalOfClosedOutput()))
  return { first: first.promise, second: second.promise, stop }
}

/** What a closed stdout means: the window was closed, or the reader of a pipe (`| head`) has enough. */
export const signalOfClosedOutput = (): NodeJS.Signals =>
  process.stdout.isTTY ? 'SIGHUP' : 'SIGPIPE'

/** The exit code that shells use for a signal: 130 for SIGINT. */
export const exitCodeOfSignal = (signal: NodeJS.Signals): number => 128 + constants.signals[signal]

import { constants } from 'node:os'
import type { StopSignal } from '../agents/agent.ts'
import { finishesWithin } from '../shared/finishes-within.ts'
import { processTable, sendSignal } from './process-table.ts'

export interface StopOptions {
  /** Sent one after another until the process ends. */
  signals: readonly StopSignal[]
  /** How long the process has to end after each signal. */
  graceMs?: number
  /** Called before each signal. */
  onSignal?(signal: StopSignal): void
  /** Called after each signal. */
  afterSignal?(): void
}

/** How a process ended. */
export interface Exit {
  code: number | null
  signal: NodeJS.Signals | null
}

const defaultGraceMs = 2000

/** Sends one signal after another to a process and its group, until it ends. */
export const stopProcess = async (
  { pid, isWrapped }: { pid: number; isWrapped: boolean },
  exited: Promise<Exit>,
  { signals, graceMs = defaultGraceMs, onSignal, afterSignal }: StopOptions,
): Promise<void> => {
  for (const signal of signals) {
    onSignal?.(signal)
    sendToAgent(pid, isWrapped, signal)
    afterSignal?.()
    if (await finishesWithin(exited, graceMs)) return
  }
}

/**
 * Sends a signal to the agent’s process group. In a sandbox, that is the group of the first process
 * inside: bubblewrap itself would end at once and take the agent with it, before the agent cleaned up.
 */
const sendToAgent = (pid: number, isWrapped: boolean, signal: StopSignal): void => {
  const inner =
    isWrapped && signal !== 'SIGKILL'
      ? processTable.rows().find(({ parent }) => parent === pid)?.pid
      : undefined
  if (inner === undefined || !sendSignal(-inner, signal)) sendSignal(-pid, signal)
}

const endingSignals = [
  ...(['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGILL', 'SIGTRAP', 'SIGABRT', 'SIGBUS', 'SIGFPE'] as const),
  ...(['SIGKILL', 'SIGUSR1', 'SIGSEGV', 'SIGUSR2', 'SIGPIPE', 'SIGALRM', 'SIGTERM'] as const),
]

/** Bubblewrap reports the signal that killed a program as 128 + its number, as shells do. */
export const exitOfInner = ({ code, signal }: Exit): Exit => {
  const inner = endingSignals.find((name) => constants.signals[name] + 128 === code)
  return inner === undefined ? { code, signal } : { code: null, signal: inner }
}

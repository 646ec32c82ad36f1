import { findAgentProcesses } from './agent-processes.ts'
import { childrenOf } from './proc.ts'
import { hasProc, sendSignal } from './process-table.ts'
import type { RunningAgent } from './running-agents.ts'

/** Stops the processes of an agent where they are, and lets them continue. */
export interface Freezer {
  /** Stops those again that somebody has continued meanwhile. */
  freeze(): void
  /** Does nothing unless they are frozen. */
  unfreeze(): void
  isFrozen(): boolean
}

/** A process may start another one before it is stopped, so they are looked for a few times. */
const rounds = 3

/**
 * Freezes an agent by SIGSTOP, which no program can ignore. SIGKILL ends a frozen process at once; every
 * other signal waits until the process continues.
 */
export const createFreezer = (agent: RunningAgent): Freezer => {
  let frozen: Set<number> | undefined

  const stopFound = (stopped: Set<number>): boolean => {
    const found = findAgentProcesses(agent).filter(({ pid }) => !stopped.has(pid))
    for (const { pid } of found) stop(pid, stopped)
    return found.length > 0
  }

  const stop = (pid: number, stopped: Set<number>): void => {
    if (!sendSignal(pid, 'SIGSTOP')) return
    stopped.add(pid)
    frozen?.add(pid)
  }

  return {
    freeze() {
      frozen ??= new Set()
      const stopped = new Set<number>()
      // At once: to look for all processes takes some milliseconds, in which the agent would work on.
      sendSignal(-agent.pid, 'SIGSTOP')
      if (agent.isSandboxed && hasProc) for (const pid of descendants(agent.pid)) stop(pid, stopped)
      for (let round = 0; round < rounds && stopFound(stopped); round += 1);
    },
    unfreeze() {
      if (frozen === undefined) return
      const pids = frozen
      frozen = undefined
      // What the agent started first: it may be waiting for it.
      for (const pid of [...pids].reverse()) sendSignal(pid, 'SIGCONT')
      sendSignal(-agent.pid, 'SIGCONT')
    },
    isFrozen: () => frozen !== undefined,
  }
}

/** Everything below a process of the sandbox, which has few. */
const descendants = (pid: number): number[] =>
  childrenOf(pid).flatMap((child) => [child, ...descendants(child)])

import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { hasProc, processTable } from './process-table.ts'
import type { RunningAgent } from './running-agents.ts'

/** An agent that a person runs in a terminal. It is never stopped, but it may not use the server either. */
interface TerminalAgent {
  pid: number
  startedAt: number
}

const found = new Map<number, TerminalAgent>()
const maxAgents = 64

/** The agents in terminals that hooks have named. */
export const terminalAgents = {
  /**
   * Remembers the agent that has started a hook. `pid` may be its process, or a shell between it and the
   * hook. A process that is no program of this name is not taken for the agent: somebody might name the
   * browser of the person who is to answer. Returns the process of the agent, if it was found.
   */
  note(pid: number, program: string): number | undefined {
    const agent = hasProc ? agentAt(pid, program) : undefined
    if (!agent) return undefined
    found.set(agent.pid, agent)
    for (const [oldest] of found) if (found.size > maxAgents) found.delete(oldest)
    return agent.pid
  },
  /** Those that still run. */
  list(): RunningAgent[] {
    for (const { pid, startedAt } of found.values())
      if (processTable.startTimeOf(pid) !== startedAt) found.delete(pid)
    return [...found.values()].map(({ pid, startedAt }) => ({
      ...{ pid, markKey: 0, isSandboxed: false, since: startedAt },
      hasMark: () => false,
      known: new Map([[pid, startedAt]]),
    }))
  },
}

/** How far above a hook its agent may be: a shell starts the hook, and launchers start programs. */
const maxLevels = 3

const agentAt = (first: number, program: string): TerminalAgent | undefined => {
  let pid = first
  for (let level = 0; level < maxLevels && pid > 1; level += 1) {
    const startedAt = processTable.startTimeOf(pid)
    if (startedAt === undefined) return undefined
    if (isProgram(pid, program)) return { pid, startedAt }
    pid = parentOf(pid)
  }
  return undefined
}

/** Whether a process was started as a program: by its name, or by an interpreter. */
const isProgram = (pid: number, program: string): boolean =>
  textOf(`/proc/${pid}/cmdline`)
    .split('\0')
    .slice(0, 2)
    .some((word) => basename(word).replace(/\.(?:exe|c?m?js)$/, '') === program)

/** The parent stands behind the name of the program, which can have any characters. */
const parentOf = (pid: number): number => {
  const stat = textOf(`/proc/${pid}/stat`)
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? 0)
}

const textOf = (file: string): string => {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}

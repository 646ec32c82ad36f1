import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import type { AgentDescription } from '../agents/agent.ts'
import { listPids } from './proc.ts'
import { hasProc, processTable } from './process-table.ts'

/** A process that looks like an agent which Sluice did not start. */
export interface ForeignProcess {
  pid: number
  /** Whether it has the wanted file open. */
  hasFile: boolean
}

interface Wanted {
  agent: Pick<AgentDescription, 'program' | 'install'>
  /** The real path of the directory that it works in. */
  cwd: string
  /** The real path of a file that it may have open. */
  file?: string | undefined
}

/**
 * The processes of this user that run an agent’s program in a directory, or have a file open. Those that
 * Sluice started are left out. Undefined where the system does not list them.
 */
export const agentsInDirectory = ({ agent, cwd, file }: Wanted): ForeignProcess[] | undefined => {
  if (!hasProc) return undefined
  const own = markedPids()
  return listPids().flatMap((pid) => {
    if (pid === process.pid || !isOwnUser(pid) || !looksLike(pid, agent)) return []
    const hasFile = file !== undefined && hasOpen(pid, file)
    if (!hasFile && linkOf(`/proc/${pid}/cwd`) !== cwd) return []
    return own().has(pid) ? [] : [{ pid, hasFile }]
  })
}

/** The processes that Sluice started, read when they are needed. */
const markedPids = (): (() => Set<number>) => {
  let pids: Set<number> | undefined
  return () => {
    pids ??= new Set(
      processTable.rows().flatMap((row) => (row.mark() === undefined ? [] : [row.pid])),
    )
    return pids
  }
}

const isOwnUser = (pid: number): boolean => {
  try {
    return statSync(`/proc/${pid}`).uid === process.getuid?.()
  } catch {
    return false
  }
}

/** Whether the first words of a command line name the program, or a file of its package. */
const looksLike = (pid: number, { program, install }: Wanted['agent']): boolean => {
  const words = commandLine(pid)
  const folder = packageOf(install)
  return words.some(
    (word) =>
      basename(word).replace(/\.(?:js|mjs|cjs|exe)$/, '') === program ||
      (folder !== undefined && word.includes(`/node_modules/${folder}/`)),
  )
}

/** The package that `npm install -g <package>` installs. */
const packageOf = (install: string | undefined): string | undefined =>
  /^npm install -g (\S+)$/.exec(install ?? '')?.[1]

/** An interpreter, its options and a script come first; a prompt, which could be any text, does not. */
const commandLine = (pid: number): string[] => {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    const [program = '', ...rest] = words
    if (!/^(?:node|bun|deno)$/.test(basename(program))) return [program.split(' ')[0] ?? '']
    return [rest.find((word) => !word.startsWith('-')) ?? '']
  } catch {
    return []
  }
}

/** The most open files of a process that are looked at. */
const maxOpenFiles = 4096

const hasOpen = (pid: number, file: string): boolean => {
  try {
    const names = readdirSync(`/proc/${pid}/fd`).slice(0, maxOpenFiles)
    return names.some((name) => linkOf(`/proc/${pid}/fd/${name}`) === file)
  } catch {
    return false
  }
}

const linkOf = (path: string): string | undefined => {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

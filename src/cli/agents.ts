import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { AgentDescription } from '../agents/agent.ts'
import { agents as table } from '../agents/table.ts'
import { findAgent } from '../process/find-agent.ts'
import { exitCodes } from './exit.ts'
import type { Terminal } from './terminal.ts'

const run = promisify(execFile)

/** `sluice agents`: which agents are installed, where, and in which version. */
export const agents = async (options: { json: boolean }, terminal: Terminal): Promise<number> => {
  const rows = await Promise.all(Object.values(table).map(rowOf))
  for (const row of rows) terminal.write(options.json ? `${JSON.stringify(row)}\n` : lineOf(row))
  await terminal.flush()
  return exitCodes.done
}

/** What is known of an agent on this machine. */
export interface AgentRow {
  agent: string
  title: string
  path: string | null
  version: string | null
}

export const rowOf = async (agent: AgentDescription): Promise<AgentRow> => {
  const path = findAgent(agent) ?? null
  const isOwn = agent.isBuiltIn === true
  const version = isOwn ? 'built in' : path === null ? null : await agentVersion(path)
  return { agent: agent.name, title: agent.title, path, version }
}

/** What a program says of its version; null when it does not. */
export const agentVersion = async (path: string, timeoutMs = 15_000): Promise<string | null> => {
  // By force: one that does not even say its version need not be asked to end.
  const limits = { timeout: timeoutMs, killSignal: 'SIGKILL' } as const
  try {
    const { stdout, stderr } = await run(path, ['--version'], limits)
    return /\d+\.\d+\.\d+\S*/.exec(stdout || stderr)?.[0] ?? null
  } catch {
    return null
  }
}

const lineOf = ({ agent, title, path, version }: AgentRow): string => {
  const name = `${agent.padEnd(8)} ${title.padEnd(12)}`
  if (path !== null) return `${name} ${(version ?? 'version unknown').padEnd(10)} ${path}\n`
  const known = Object.values(table).find((each) => each.name === agent)
  return `${name} not found: ${known ? hintFor(known) : ''}\n`
}

/** How to get an agent that is not found. */
export const hintFor = ({ program, programVariable }: AgentDescription): string =>
  `put \`${program}\` on PATH or set ${programVariable}`

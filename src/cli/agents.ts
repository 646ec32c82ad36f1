import type { AgentDescription } from '../agents/agent.ts'
import { agents as supportedAgents } from '../agents/table.ts'
import { agentVersion, installHint } from '../process/agent-catalog.ts'
import { findAgent } from '../process/find-agent.ts'
import { exitCodes } from './exit.ts'
import type { Terminal } from './terminal.ts'

/** `sluice agents`: which agents are installed, where, and in which version. */
export const listAgents = async (
  options: { json: boolean },
  terminal: Terminal,
): Promise<number> => {
  const rows = await Promise.all(Object.values(supportedAgents).map(rowOf))
  for (const row of rows)
    if (options.json) terminal.writeJson(row)
    else terminal.write(lineOf(row))
  await terminal.flush()
  return exitCodes.done
}

/** One agent on this machine, as `--json` prints it. */
interface AgentRow {
  agent: string
  title: string
  path: string | null
  version: string | null
}

const rowOf = async (agent: AgentDescription): Promise<AgentRow> => {
  const path = findAgent(agent) ?? null
  const { name, title, isBuiltIn } = agent
  if (isBuiltIn) return { agent: name, title, path, version: 'built in' }
  return { agent: name, title, path, version: path === null ? null : await agentVersion(path) }
}

const lineOf = ({ agent, title, path, version }: AgentRow): string => {
  const name = `${agent.padEnd(8)} ${title.padEnd(12)}`
  if (path !== null) return `${name} ${(version ?? 'version unknown').padEnd(10)} ${path}\n`
  const supported = Object.values(supportedAgents).find((each) => each.name === agent)
  return `${name} not installed: ${supported ? installHint(supported) : ''}\n`
}

import type { AgentDescription } from '../agents/agent.ts'
import { knownAgents } from '../agents/known-agents.ts'
import type { SandboxInfo } from '../api/types.ts'
import { agentVersion, installHint } from '../process/agent-catalog.ts'
import { defaultData } from '../process/default-data.ts'
import { findAgent } from '../process/find-agent.ts'
import { openSandbox } from '../process/sandbox.ts'
import { exitCodes } from './exit.ts'
import { sandboxText } from './sandbox-line.ts'
import type { Terminal } from './terminal.ts'

/** `sluice agents`: which agents are installed, where, and in which version. */
export const listAgents = async (
  options: { json: boolean },
  terminal: Terminal,
): Promise<number> => {
  const { info } = await openSandbox({ hidden: [defaultData()] })
  const rows = await Promise.all(knownAgents.map((agent) => rowOf(agent, info)))
  for (const row of rows)
    if (options.json) terminal.writeJson(row)
    else terminal.write(lineOf(row))
  if (!options.json) terminal.write(`\n${capitalised(sandboxText(info))}\n`)
  await terminal.flush()
  return exitCodes.done
}

/** One agent on this machine, as `--json` prints it. */
interface AgentRow {
  agent: string
  title: string
  path: string | null
  version: string | null
  sandbox: SandboxInfo
}

const rowOf = async (agent: AgentDescription, sandbox: SandboxInfo): Promise<AgentRow> => {
  const path = findAgent(agent) ?? null
  const { name, title, isBuiltIn } = agent
  const version = path === null || isBuiltIn ? null : await agentVersion(path)
  return { agent: name, title, path, version: isBuiltIn ? 'built in' : version, sandbox }
}

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const lineOf = ({ agent, title, path, version }: AgentRow): string => {
  const name = `${agent.padEnd(8)} ${title.padEnd(12)}`
  if (path !== null) return `${name} ${(version ?? 'version unknown').padEnd(10)} ${path}\n`
  const supported = knownAgents.find((each) => each.name === agent)
  return `${name} not installed: ${supported ? installHint(supported) : ''}\n`
}

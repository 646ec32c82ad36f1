import { createAgentSource } from '../agent-config/agent-source.ts'
import type { AgentDescription } from '../agents/agent.ts'
import { standingOf, type VersionStanding } from '../agents/recorded-versions.ts'
import type { AgentInfo, SandboxInfo } from '../api/types.ts'
import { capabilityWords } from '../events/capability-words.ts'
import { installHint, listedVersion } from '../process/agent-catalog.ts'
import { findAgent } from '../process/find-agent.ts'
import { openSandbox } from '../process/sandbox.ts'
import { plainLine } from './clean-text.ts'
import { exitCodes } from './exit.ts'
import { sandboxText } from './sandbox-line.ts'
import { storedTrust } from './stored-trust.ts'
import { printError, type Terminal } from './terminal.ts'
import { textWidth } from './text-width.ts'
import { wrapText } from './wrap-text.ts'

/** `sluice agents`: which agents are installed, in which version, and what each can do. */
export const listAgents = async (
  options: { json: boolean; data: string; cwd: string },
  terminal: Terminal,
): Promise<number> => {
  const { json, data, cwd } = options
  const { info } = await openSandbox({ hidden: [data] })
  const look = (directory: string) => storedTrust(data, directory)
  const { agents, problems } = await createAgentSource({ data, look }).list(cwd)
  const rows = await Promise.all(agents.map((agent) => rowOf(agent, info)))
  for (const problem of problems) printError(problem)
  if (json) for (const row of rows) terminal.writeJson(row)
  else terminal.write(listText(rows, info, terminal.size()?.columns))
  await terminal.flush()
  return exitCodes.done
}

/** One agent on this machine, as `--json` prints it. */
interface AgentRow
  extends Pick<AgentInfo, 'title' | 'isInstalled' | 'origin' | 'login' | 'hint' | 'capabilities'> {
  agent: string
  path: string | null
  version: string | null
  standing: VersionStanding | null
  sandbox: SandboxInfo
}

const rowOf = async (agent: AgentDescription, sandbox: SandboxInfo): Promise<AgentRow> => {
  const { name, title, isBuiltIn, origin, login, capabilities } = agent
  const path = findAgent(agent) ?? null
  const version = path === null || isBuiltIn ? null : await listedVersion(agent, path)
  return {
    agent: name,
    title,
    isInstalled: path !== null,
    path,
    version: isBuiltIn ? 'built in' : version,
    standing: version === null ? null : standingOf(name, version),
    ...(origin && { origin }),
    ...(login !== undefined && { login }),
    ...(path === null && { hint: installHint(agent) }),
    capabilities,
    sandbox,
  }
}

/** The list for people. In a pipe a line is as long as its text. */
const listText = (rows: readonly AgentRow[], sandbox: SandboxInfo, columns = Infinity): string => {
  const nameWidth = Math.max(...rows.map(({ agent }) => textWidth(agent)))
  // On a narrow screen, a column for the names would leave too little room.
  const indent = columns < 60 ? 2 : nameWidth + 2
  const blocks = [
    ...rows.filter(({ isInstalled }) => isInstalled),
    ...rows.filter(({ isInstalled }) => !isInstalled),
  ].map((row) => blockOf(row, indent, columns))
  return `${blocks.join('')}\n${wrapText(capitalised(sandboxText(sandbox)), columns)}\n`
}

const blockOf = (row: AgentRow, indent: number, columns: number): string => {
  const { agent, title } = row
  const about = `${plainLine(title)}${stateOf(row)}`
  const head =
    columns < 60 ? wrapText(`${agent}: ${about}`, columns) : `${agent.padEnd(indent)}${about}`
  const rest = aboutOf(row, columns - indent).map((line) =>
    wrapText(plainLine(line), columns, ' '.repeat(indent)),
  )
  return `${[head, ...rest].join('\n')}\n`
}

const stateOf = ({ isInstalled, version, standing }: AgentRow): string => {
  if (!isInstalled) return ', not installed'
  if (version === 'built in') return ', built in'
  if (version === null) return ', version unknown'
  const note = standing === null ? '' : standingWords[standing]
  return ` ${version}${note}`
}

const standingWords: Readonly<Record<VersionStanding, string>> = {
  recorded: ', tested',
  between: ', between tested versions',
  newer: ', newer than the tested versions',
  older: ', older than the tested versions',
  unknown: '',
}

/** The lines below the head: an agent that is not installed says how to get it, and no more. */
const aboutOf = (row: AgentRow, width: number): string[] => {
  const { hint, path, version, login, origin, capabilities } = row
  if (hint !== undefined) return [`To get it, ${hint}.`]
  const can = `Can: ${capabilityWords(capabilities).join(', ')}`
  const where = version === 'built in' || path === null ? [] : [shownPath(path, width)]
  const from = origin === 'project' ? ['From agents.json of the project'] : []
  return [...where, ...from, can, ...(login === undefined ? [] : [`Log in: ${login}`])]
}

/** A path that fits: its middle is left out, because a person knows it by its ends. `--json` has it whole. */
const shownPath = (path: string, width: number): string => {
  if (textWidth(path) <= width) return path
  const part = Math.max(8, Math.floor((width - 1) / 2))
  return `${path.slice(0, part)}…${path.slice(-part)}`
}

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

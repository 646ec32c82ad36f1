import { createAgentSource } from '../../agent-config/agent-source.ts'
import type { AgentDescription, AgentOrigin } from '../../agents/agent.ts'
import {
  recordedVersions,
  standingOf,
  type VersionStanding,
} from '../../agents/recorded-versions.ts'
import { agentVersion, installHint } from '../../process/agent-catalog.ts'
import { findAgent } from '../../process/find-agent.ts'
import type { Finding } from './finding.ts'

/** Whether the agents are installed, and whether their versions have been recorded. */
export const checkAgents = async (data: string): Promise<Finding[]> => {
  const { agents, problems } = await createAgentSource({ data }).list()
  const wrong = problems.map(
    (message): Finding => ({ check: 'agents.json', status: 'problem', message }),
  )
  return [...(await checkFound(agents)), ...wrong]
}

const checkFound = async (agents: readonly AgentDescription[]): Promise<Finding[]> => {
  const found = await Promise.all(agents.map(checkAgent))
  if (found.some(({ isUsable }) => isUsable)) return found.map(({ finding }) => finding)
  const finding: Finding = {
    check: 'agents',
    status: 'warning',
    message: 'No agent is installed, so only the demo works.',
    advice: 'Install Pi or Claude Code.',
  }
  return [...found.map((each) => each.finding), finding]
}

const checkAgent = async (
  agent: AgentDescription,
): Promise<{ finding: Finding; isUsable: boolean }> => {
  const { name, title, isBuiltIn, programVariable } = agent
  const check = `agent ${name}`
  const path = findAgent(agent)
  if (isBuiltIn) {
    const finding: Finding = { check, status: 'ok', message: `${title}: built in.` }
    return { finding, isUsable: false }
  }
  if (path === undefined) {
    // A variable that names no program is a mistake; an agent that is not there is not.
    const isMistake = Boolean(process.env[programVariable])
    const message = isMistake
      ? `${title}: ${programVariable} does not name a program.`
      : `${title}: not installed.`
    const advice = `To use it, ${installHint(agent)}.`
    const finding: Finding = { check, status: isMistake ? 'problem' : 'absent', message, advice }
    return { finding, isUsable: false }
  }
  // A program that a person named need not have a version.
  if (agent.origin) {
    const message = `${title}: ${path}. ${originText[agent.origin]}`
    return { finding: { check, status: 'ok', message, details: { path } }, isUsable: true }
  }
  const version = await agentVersion(path)
  return { finding: versionFinding(agent, path, version), isUsable: version !== null }
}

const versionFinding = (
  { name, title }: AgentDescription,
  path: string,
  version: string | null,
): Finding => {
  const standing = standingOf(name, version)
  const recorded = recordedVersions[name] ?? []
  const common = { check: `agent ${name}`, details: { path, version, standing, recorded } }
  if (version === null)
    return {
      ...common,
      status: 'problem',
      message: `${title}: ${path} does not print a version.`,
      advice: `Run \`${path} --version\` to see why.`,
    }
  const isOld = standing === 'older'
  return {
    ...common,
    status: isOld ? 'warning' : 'ok',
    message: `${title} ${version} at ${path}. ${standingText[standing]}`,
    ...(isOld && { advice: `Update it to ${recorded[0]} or newer.` }),
    ...(standing === 'newer' && {
      advice: `The newest recording is of ${recorded.at(-1)}. If something is missing on the screen: sluice record ${name}.`,
    }),
  }
}

const originText: Readonly<Record<AgentOrigin, string>> = {
  user: 'It is described in agents.json.',
  preset: 'It is driven over the Agent Client Protocol.',
  project: 'The project describes it.',
}

const standingText: Readonly<Record<VersionStanding, string>> = {
  recorded: 'This version is among the recordings.',
  between: 'It lies between recorded versions.',
  newer: 'It is newer than the recordings.',
  older: 'It is older than the recordings.',
  unknown: 'There are no recordings of it.',
}

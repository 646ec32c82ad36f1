import { basename } from 'node:path'
import type { AgentEntry } from '../agents/agent.ts'
import { configuredEntry } from '../agents/configured-agent.ts'
import { protocolAgent } from '../agents/known-agents.ts'
import { findProgram, noProgramText } from '../process/find-agent.ts'
import { Fault } from '../shared/fault.ts'

/** The agent that a person names by its command, after `--`. It must speak ACP. */
export const agentOfCommand = (
  command: readonly string[],
  { verb, cwd }: { verb: string; cwd: string },
): AgentEntry => {
  const [word, ...args] = command
  if (word === undefined) throw noCommand(verb)
  const program = findProgram(word, { cwd, env: process.env })
  if (program === undefined)
    throw new Fault('agent_not_found', `${noProgramText(word, cwd)} ${usage(verb)}`)
  return configuredEntry(
    { name: protocolAgent, title: basename(program), command: [program, ...args] },
    'user',
  )
}

/** The fault about a missing command. */
export const noCommand = (verb: string): Fault =>
  new Fault('usage', `Give the command of an agent that speaks ACP after --. ${usage(verb)}`)

const usage = (verb: string): string => `For example: sluice ${verb} -- my-agent acp`

/** Only the agent `acp` has no command of its own. */
export const refuseCommand = (agent: string): Fault =>
  new Fault('usage', `${agent} has its own command. To give one: sluice chat acp -- my-agent acp`)

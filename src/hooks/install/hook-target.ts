import { realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { agentHooks, withoutHooks } from '../../agents/hook-table.ts'
import type { AgentHooks } from '../../agents/hooks.ts'
import { agentTitle, unknownAgent } from '../../agents/known-agents.ts'
import { Fault } from '../../shared/fault.ts'
import { ownValue } from '../../shared/fields.ts'

/** A file that hooks are installed in. */
export interface HookTarget {
  agent: string
  title: string
  hooks: AgentHooks
  scope: 'user' | 'project'
  /** The settings file, by the name that the agent reads it by. */
  path: string
  /** The directory that the file must be in, also behind symbolic links. */
  within?: string
  /** The hooks ask where they would only report by default. */
  asks: boolean
}

/** Where the programs of a hook are, and the server that it connects to. */
export interface HookPlace {
  node: string
  /** The program that agents start. Other modules are found from there. */
  program: string
  data: string
}

/** The names of the agents that hooks can be installed for. */
export const hookAgents: readonly string[] = Object.keys(agentHooks)

/** The settings file of an agent for all projects of the user, or for one project. Throws a `Fault`. */
export const hookTarget = (
  agent: string,
  project: string | undefined,
  env: NodeJS.ProcessEnv,
): HookTarget => {
  const hooks = ownValue(agentHooks, agent)
  if (!hooks) {
    const reason = ownValue(withoutHooks, agent)
    throw reason === undefined ? unknownAgent(agent, hookAgents) : new Fault('usage', reason)
  }
  const title = agentTitle(agent)
  const { user, project: inProject } = hooks.settings
  if (project === undefined) {
    const own = env[user.variable]
    const path = own ? join(own, user.below) : join(env.HOME ?? homedir(), user.home)
    return { agent, title, hooks, scope: 'user', path, asks: false }
  }
  if (inProject === undefined)
    throw new Fault(
      'usage',
      `The hooks of ${title} are installed for all your projects. Leave out --project.`,
    )
  const within = realpathSync(project)
  const path = join(within, inProject)
  return { agent, title, hooks, scope: 'project', path, within, asks: false }
}

/** The same hooks, which also ask. Throws a `Fault` if there is no such choice. */
export const askingTarget = (target: HookTarget): HookTarget => {
  const { agent, title, hooks } = target
  if (hooks.asking) return { ...target, asks: true }
  const reason = hooks.ability === 'ask' ? 'ask already' : 'cannot ask'
  throw new Fault('usage', `The hooks of ${title} ${reason}: sluice hooks install ${agent}`)
}

/** The command of a hook: it names everything by absolute paths, since agents run it anywhere. */
export const hookCommand = (
  { agent, scope }: Pick<HookTarget, 'agent' | 'scope'>,
  { node, program, data }: HookPlace,
): string => [node, program, agent, scope, data].map(shellWord).join(' ')

const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`

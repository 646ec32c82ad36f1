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
    return { agent, title, hooks, scope: 'user', path }
  }
  if (inProject === undefined)
    throw new Fault('usage', `${title} takes hooks of users only. Leave out --project.`)
  const within = realpathSync(project)
  return { agent, title, hooks, scope: 'project', path: join(within, inProject), within }
}

/** The command of a hook: it names everything by absolute paths, since agents run it anywhere. */
export const hookCommand = (
  { agent, scope }: Pick<HookTarget, 'agent' | 'scope'>,
  { node, program, data }: { node: string; program: string; data: string },
): string => [node, program, agent, scope, data].map(shellWord).join(' ')

const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`

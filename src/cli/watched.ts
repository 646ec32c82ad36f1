import type { WatchedAgent, WatchedReport } from '../api/types.ts'
import { Fault } from '../shared/fault.ts'
import { plainLine } from './clean-text.ts'
import { exitCodes } from './exit.ts'
import { onServer, requireServerAt, type ServerTarget } from './remote/server-target.ts'
import type { Terminal } from './terminal.ts'

interface WatchedOptions extends ServerTarget {
  json: boolean
}

interface SwitchOptions extends WatchedOptions {
  agent: string | undefined
  /** Absolute path of a directory. */
  project?: string | undefined
  state: 'on' | 'off'
}

/** `sluice watched`: what the server reads of agents that run outside Sluice. */
export const listWatched = async (options: WatchedOptions, terminal: Terminal): Promise<number> => {
  const client = requireServerAt(options)
  return print(await onServer(options, () => client.watched.get()), options, terminal)
}

/** `sluice watched off` and `sluice watched on`. */
export const switchWatched = async (
  { agent, project, state, ...options }: SwitchOptions,
  terminal: Terminal,
): Promise<number> => {
  if ((agent === undefined) === (project === undefined))
    throw new Fault('usage', 'Name an agent, or a directory with --project.')
  const client = requireServerAt(options)
  const change = { agent, project, state }
  return print(await onServer(options, () => client.watched.change(change)), options, terminal)
}

const print = async (
  report: WatchedReport,
  { json }: WatchedOptions,
  terminal: Terminal,
): Promise<number> => {
  if (json) terminal.writeJson(report)
  else terminal.write(reportText(report))
  await terminal.flush()
  return exitCodes.done
}

const reportText = ({ isOn, agents, projectsOff }: WatchedReport): string => {
  const width = Math.max(...agents.map(({ agent }) => agent.length), 'project'.length)
  const rows = [
    ...agents.map((each) => [each.agent, stateOf(each, isOn), each.path] as const),
    ...projectsOff.map((project) => ['project', 'off', project] as const),
  ]
  const lines = rows.map(
    ([name, state, path]) => `${name.padEnd(width)}  ${state.padEnd(9)}  ${plainLine(path)}\n`,
  )
  const none = isOn ? '' : 'This server reads no sessions of agents in terminals.\n'
  return none + lines.join('')
}

const stateOf = ({ state, exists }: WatchedAgent, isOn: boolean): string => {
  if (state === 'off') return 'off'
  if (!exists) return 'not found'
  return isOn ? 'watched' : 'not read'
}

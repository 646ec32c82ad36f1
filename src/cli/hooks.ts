import { existsSync, realpathSync } from 'node:fs'
import { connect } from 'node:net'
import { shippedFile } from '../agents/shipped-file.ts'
import { reachSocket, socketIn } from '../files/private-socket.ts'
import {
  applyEdit,
  type HookEdit,
  type HookStatus,
  hookEditDiff,
  hookStatus,
  installEdit,
  removeEdit,
} from '../hooks/install/hook-edits.ts'
import {
  askingTarget,
  type HookPlace,
  type HookTarget,
  hookAgents,
  hookTarget,
} from '../hooks/install/hook-target.ts'
import { openReceipts } from '../hooks/install/receipts.ts'
import { hookProgramName } from '../hooks/install/settings-text.ts'
import { findOnPath } from '../process/find-agent.ts'
import { Fault } from '../shared/fault.ts'
import { visibleName } from '../shared/visible-name.ts'
import { askLine } from './editor/ask-line.ts'
import { exitCodes } from './exit.ts'
import { printError, type Terminal } from './terminal.ts'

export interface HooksOptions {
  data: string
  /** A project directory: its settings instead of the user’s. */
  project?: string | undefined
}

export interface ChangeHooksOptions extends HooksOptions {
  agent: string
  /** Makes the change without a question. */
  yes: boolean
}

interface InstallOptions extends ChangeHooksOptions {
  /** Installs hooks that ask where they would only report by default. */
  asks: boolean
}

/** `sluice hooks install`: shows what it changes in the agent’s settings, asks, and writes it. */
export const installHooks = async (
  { agent, data, project, yes, asks }: InstallOptions,
  terminal: Terminal,
): Promise<number> => {
  const plain = hookTarget(agent, project, process.env)
  const target = asks ? askingTarget(plain) : plain
  const place = placeFor(data)
  refuseTwice(target, place)
  const receipts = openReceipts(data)
  const edit = installEdit(target, place, receipts)
  if (edit.isDone) terminal.write(`${shown(edit)} has the hooks already.\n`)
  else if (!(await isAgreed(edit, 'Write this?', yes, terminal))) return notChanged(terminal)
  else {
    // Agents write these files, too: the change is made to what is there now.
    applyEdit(installEdit(target, place, receipts), receipts)
    terminal.write(`Installed the hooks of ${target.title} in ${shown(edit)}.\n`)
  }
  const { problems } = hookStatus(target, place)
  for (const problem of problems) printError(offBecause(target, problem))
  if (isTemporary(place))
    printError(
      'Sluice runs from a temporary directory, so the hooks end with it. Install Sluice, and run this again.',
    )
  terminal.write(
    `\n${limitsOf(target)
      .map((each) => `- ${each}`)
      .join('\n')}\n`,
  )
  terminal.write(`\nRemove them: sluice hooks remove ${agent}${projectOption(target)}\n`)
  await terminal.flush()
  return problems.length > 0 ? exitCodes.failed : exitCodes.done
}

/** `sluice hooks remove`: takes exactly our hooks out of the agent’s settings. */
export const removeHooksOf = async (
  { agent, data, project, yes }: ChangeHooksOptions,
  terminal: Terminal,
): Promise<number> => {
  const target = hookTarget(agent, project, process.env)
  const receipts = openReceipts(data)
  const edit = removeEdit(target, receipts)
  if (edit.isDone) terminal.write(`${visibleName(target.path)} has no hooks of Sluice.\n`)
  else if (!(await isAgreed(edit, 'Write this?', yes, terminal))) return notChanged(terminal)
  else {
    applyEdit(removeEdit(target, receipts), receipts)
    terminal.write(`Removed the hooks of Sluice from ${shown(edit)}.\n`)
  }
  await terminal.flush()
  return exitCodes.done
}

/** `sluice hooks status`: which agents have our hooks, and whether they can work. */
export const printHooks = async (
  { data, project, json }: HooksOptions & { json: boolean },
  terminal: Terminal,
): Promise<number> => {
  const isListening = await isServerListening(data)
  const found = hookAgents
    .flatMap((agent) => targetsOf(agent, project))
    .map((target) => ({
      ...hookStatus(target, placeFor(data)),
      isListening,
    }))
  if (json) for (const status of found) terminal.writeJson(jsonOf(status))
  else writeAll(found, isListening, terminal)
  await terminal.flush()
  return exitCodes.done
}

const targetsOf = (agent: string, project: string | undefined): HookTarget[] => {
  const user = hookTarget(agent, undefined, process.env)
  const hasProject = project !== undefined && user.hooks.settings.project !== undefined
  return hasProject ? [user, hookTarget(agent, project, process.env)] : [user]
}

const jsonOf = ({
  target,
  state,
  problems,
  isListening,
}: HookStatus & { isListening: boolean }) => {
  const { agent, scope, path, hooks } = target
  const asks = hooks.ability === 'ask' || state === 'asking'
  const limits = limitsOf({ ...target, asks })
  return {
    ...{ agent, scope, path, state: state === 'asking' ? 'installed' : state },
    ...{ ability: asks ? 'ask' : 'report', problems, limits, isListening },
  }
}

const writeAll = (found: readonly HookStatus[], isListening: boolean, terminal: Terminal): void => {
  for (const status of found) if (status.state !== 'none') writeStatus(status, terminal)
  const without = found.filter(({ state }) => state === 'none')
  for (const [words, asks] of [
    ['Can ask here', true],
    ['Can report here', false],
  ] as const) {
    const titles = without.filter(({ target }) => (target.hooks.ability === 'ask') === asks)
    if (titles.length > 0)
      terminal.write(`${words}, but no hooks: ${titles.map(nameOf).join(', ')}\n`)
  }
  if (without.length > 0) terminal.write('Install them: sluice hooks install <agent>\n')
  terminal.write(
    isListening
      ? 'A server listens for hooks.\n'
      : 'No server listens for hooks, so agents go on without Sluice. Start one: sluice serve\n',
  )
}

const nameOf = ({ target: { agent, within } }: HookStatus): string =>
  within === undefined ? agent : `${agent} (in ${visibleName(within)})`

const writeStatus = ({ target, state, problems }: HookStatus, terminal: Terminal): void => {
  const { agent, title, path, hooks } = target
  const asks = hooks.ability === 'ask' || state === 'asking'
  const ability = asks ? 'asks here' : hooks.asking ? 'reports; --ask to ask, too' : 'reports only'
  terminal.write(`${title}: ${stateWords[state]} (${ability})\n  ${visibleName(path)}\n`)
  if (state === 'outdated')
    terminal.write(`  Update them: sluice hooks install ${agent}${projectOption(target)}\n`)
  for (const problem of problems)
    terminal.write(`  ${state === 'unreadable' ? problem : offBecause(target, problem)}\n`)
  if (state === 'installed' || state === 'asking')
    for (const limit of limitsOf({ ...target, asks })) terminal.write(`  - ${limit}\n`)
}

/** What people must know about hooks. Those that ask have other limits. */
const limitsOf = ({ hooks, asks }: HookTarget): readonly string[] =>
  (asks ? hooks.asking : undefined) ?? hooks.limits

const stateWords: Readonly<Record<HookStatus['state'], string>> = {
  none: 'no hooks',
  installed: 'hooks installed',
  asking: 'hooks installed',
  outdated: 'hooks of another version or data directory',
  unreadable: 'settings cannot be read',
}

const offBecause = ({ title }: HookTarget, problem: string): string =>
  `${title} ignores every hook of this file: ${problem} Correct that first.`

const projectOption = ({ scope, within = '' }: HookTarget): string =>
  scope === 'project' ? ` --project ${within}` : ''

/** Two hooks for the same session would ask twice. */
const refuseTwice = (target: HookTarget, place: HookPlace): void => {
  if (target.scope === 'user') return
  const user = hookTarget(target.agent, undefined, process.env)
  if (hookStatus(user, place).state === 'none') return
  throw new Fault(
    'usage',
    `The hooks are installed for all projects, in ${user.path}. Remove them there first: sluice hooks remove ${target.agent}`,
  )
}

const placeFor = (data: string): HookPlace => ({
  ...{ node: nodePath(), program: shippedFile(hookProgramName), data },
})

/** The path of this Node that an update keeps, if PATH has one. */
const nodePath = (): string => {
  const onPath = findOnPath('node', process.env)
  return onPath !== undefined && realpathSync(onPath) === realpathSync(process.execPath)
    ? onPath
    : process.execPath
}

const isTemporary = ({ program }: HookPlace): boolean => program.includes('/_npx/')

const shown = ({ file }: HookEdit): string => visibleName(file.path)

const isAgreed = async (
  edit: HookEdit,
  question: string,
  yes: boolean,
  terminal: Terminal,
): Promise<boolean> => {
  terminal.write(hookEditDiff(edit))
  await terminal.flush()
  if (yes) return true
  if (!process.stdin.isTTY)
    throw new Fault('usage', 'Nothing was changed: there is nobody to ask. To agree, add --yes.')
  const answer = await askLine(`${question} [y/N] `)
  return answer?.isPasted !== true && /^y(es)?$/i.test(answer?.text.trim() ?? '')
}

const notChanged = async (terminal: Terminal): Promise<number> => {
  terminal.write('Nothing was changed.\n')
  await terminal.flush()
  return exitCodes.failed
}

/** Whether a server has the socket of a data directory open. */
const isServerListening = async (data: string): Promise<boolean> => {
  if (!existsSync(data)) return false
  const reached = reachSocket(data, 'hooks.sock')
  const path = reached?.path ?? socketIn(data, 'hooks.sock')
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = connect({ path })
  socket.once('connect', () => resolve(true))
  socket.once('error', () => resolve(false))
  try {
    return await promise
  } finally {
    socket.destroy()
    reached?.release()
  }
}

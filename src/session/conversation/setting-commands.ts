import { randomUUID } from 'node:crypto'
import { unknownLevel, unknownMode } from '../../agents/check-start.ts'
import type { Actor, ModeChoice, StartOption } from '../../events/types.ts'
import { defined } from '../../shared/fields.ts'
import { authorName } from './authors.ts'
import { audited, isCarriedOut } from './commands.ts'
import type { ConversationState } from './conversation-state.ts'
import { updateSession } from './intake.ts'
import type { Lifecycle } from './lifecycle.ts'
import type { SendCommand } from './send-command.ts'
import type { CommandResult, Session } from './session.ts'

type Settings = Pick<
  Session,
  | 'compact'
  | 'setModel'
  | 'models'
  | 'contextParts'
  | 'setThinking'
  | 'setMode'
  | 'setSwitch'
  | 'setName'
  | 'rename'
>

/** The commands that change how the agent works, and the session’s name. */
export const settingCommands = (
  state: ConversationState,
  send: SendCommand,
  lifecycle: Lifecycle,
): Settings => ({
  async compact(instructions, { by } = {}) {
    const result = await send({ type: 'compact', id: randomUUID(), ...defined({ instructions }) })
    return audited(state, result, { action: 'compact', by, detail: instructions })
  },
  async setModel(model, { by } = {}) {
    state.authors.modelRequested(model, state.model, by ?? state.deps.defaultActor)
    const result = await send({ type: 'setModel', id: randomUUID(), model })
    // Some agents report their model only with the next run.
    if (result.outcome === 'accepted' && state.authors.isModelAwaited())
      updateSession(state, { type: 'session_update', model })
    return audited(state, result, { action: 'model_changed', by, detail: model })
  },
  models: async () => state.driver?.models(),
  contextParts: async () => state.driver?.contextParts(),
  async setThinking(level, { by } = {}) {
    const result = await changeThinking(state, send, lifecycle, level, by)
    return audited(state, result, { action: 'thinking_changed', by, detail: level })
  },
  async setMode(mode, { by } = {}) {
    const result = await changeMode(state, send, lifecycle, mode, by)
    return audited(state, result, { action: 'mode_changed', by, detail: mode })
  },
  async setSwitch(name, isOn, { by } = {}) {
    if (!state.deps.agent.capabilities.switches?.includes(name)) return { outcome: 'unsupported' }
    const result = await send({ type: 'setSwitch', id: randomUUID(), name, isOn })
    if (result.outcome === 'accepted')
      updateSession(state, { type: 'session_update', [name]: isOn, ...authorOf(state, by) })
    const detail = `${name}: ${isOn ? 'on' : 'off'}`
    return audited(state, result, { action: 'switch_changed', by, detail })
  },
  setName: (name) => send({ type: 'setName', id: randomUUID(), name }),
  async rename(name, { by } = {}) {
    updateSession(state, { type: 'session_update', name, ...authorOf(state, by) })
    state.deps.onAction?.({ action: 'session_renamed', by, detail: name })
    if (name !== '') void state.driver?.send({ type: 'setName', id: randomUUID(), name })
    await state.deps.recorder.settled()
  },
})

const authorOf = ({ deps }: ConversationState, by: Actor | undefined) =>
  defined({ by: authorName(by ?? deps.defaultActor) })

/** Changes the mode of the running agent, or the mode that the next process starts in. */
const changeMode = async (
  state: ConversationState,
  send: SendCommand,
  lifecycle: Lifecycle,
  mode: string,
  by: Actor | undefined,
): Promise<CommandResult> => {
  const { agent } = state.deps
  const offered = state.modes ?? agent.capabilities.modes
  const choice = offered.find(({ id }) => id === mode)
  if (!choice && offered.length > 0) return refused(unknownMode(agent, mode, idsOf(offered)))
  const canStart = hasStartOption(state, 'mode')
  if (choice?.needsRestart && canStart && lifecycle.isAlive()) {
    if (state.activity.isBusy() || state.openShells.size > 0) return refused(needsRestart(state))
    await lifecycle.stop('stopped')
  }
  state.authors.changeRequested({ permissionMode: mode }, by ?? state.deps.defaultActor)
  const isStored = canStart && !lifecycle.isAlive()
  const result: CommandResult = isStored
    ? { outcome: 'accepted' }
    : await send({ type: 'setMode', id: randomUUID(), mode })
  if (!isCarriedOut(result)) state.authors.dropChange()
  else chosen(state, { permissionMode: mode }, canStart ? { mode } : {})
  return result
}

/** Changes how much the model thinks, now or with the next process. */
const changeThinking = async (
  state: ConversationState,
  send: SendCommand,
  lifecycle: Lifecycle,
  level: string,
  by: Actor | undefined,
): Promise<CommandResult> => {
  const { agent } = state.deps
  const { thinking } = agent.capabilities
  const levels = state.thinkingLevels ?? thinking
  const isKnown = levels.includes(level) || thinking.includes(level)
  if (!isKnown && levels.length > 0) return refused(unknownLevel(agent, level, levels))
  const canStart = hasStartOption(state, 'thinkingLevel')
  state.authors.changeRequested({ thinkingLevel: level }, by ?? state.deps.defaultActor)
  const result: CommandResult =
    canStart && !lifecycle.isAlive()
      ? { outcome: 'accepted' }
      : await send({ type: 'setThinking', id: randomUUID(), level })
  if (!isCarriedOut(result)) state.authors.dropChange()
  else chosen(state, { thinkingLevel: level }, canStart ? { thinkingLevel: level } : {})
  return result
}

/** Shows what was chosen, unless the agent has, and stores it for later processes. */
const chosen = (
  state: ConversationState,
  shown: { permissionMode: string } | { thinkingLevel: string },
  start: { mode?: string; thinkingLevel?: string },
): void => {
  if (Object.keys(start).length > 0) {
    state.start = { ...state.start, ...start }
    state.deps.onRecord({ start: state.start })
  }
  if (state.authors.isChangeAwaited()) updateSession(state, { type: 'session_update', ...shown })
}

const hasStartOption = ({ deps }: ConversationState, option: StartOption): boolean =>
  deps.agent.start?.options.includes(option) === true

const idsOf = (modes: readonly ModeChoice[]): string[] => modes.map(({ id }) => id)

const refused = (error: string): CommandResult => ({ outcome: 'refused', error })

const needsRestart = ({ deps }: ConversationState): string =>
  `${deps.agent.title} must start again for this mode. Wait until the run ends, or stop it.`

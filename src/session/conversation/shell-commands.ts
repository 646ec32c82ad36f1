import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { defined } from '../../shared/fields.ts'
import { authorName } from './authors.ts'
import { audited, isCarriedOut } from './commands.ts'
import type { ConversationState } from './conversation-state.ts'
import type { SendResult } from './driver.ts'
import { updateSession } from './intake.ts'
import type { SendCommand } from './send-command.ts'
import type { CommandResult, Session } from './session.ts'

/** Shell commands that a person runs through the agent, which then knows their output. */
export const shellCommands = (
  state: ConversationState,
  send: SendCommand,
): Pick<Session, 'runShell' | 'stopShell'> => ({
  async runShell(command, { by } = {}) {
    if (state.deps.agent.capabilities.shell !== true) return { outcome: 'unsupported' }
    // Pi can stop only the command that it started last, and none after the first one has ended.
    if (state.openShells.size > 0) return { outcome: 'refused', error: isRunning }
    const id = randomUUID()
    const author = defined({ by: authorName(by ?? state.deps.defaultActor) })
    state.openShells.add(id)
    updateSession(state, { type: 'session_update', shell: { id, command }, ...author })
    const result = await send({ type: 'shell', id, command })
    if (!isCarriedOut(result)) endShell(state, id)
    return audited(state, result, { action: 'shell_command', by, detail: command })
  },
  async stopShell({ by } = {}) {
    if (state.deps.agent.capabilities.shell !== true) return { outcome: 'unsupported' }
    const stopped = [...state.openShells]
    const result: CommandResult = (await sendStop(state)) ?? { outcome: 'accepted' }
    void stopAgain(state, stopped).catch(state.deps.onError)
    return audited(state, result, { action: 'shell_stopped', by })
  },
})

const isRunning = 'A shell command is running. Wait until it ends, or stop it first.'

const sendStop = async (state: ConversationState): Promise<SendResult | undefined> =>
  state.driver?.send({ type: 'abortShell', id: randomUUID() })

/**
 * Sends the stop again until the command ends: Pi confirms and forgets a stop that comes before the
 * command has started, and the agent itself may still be starting.
 */
const stopAgain = async (state: ConversationState, ids: readonly string[]): Promise<void> => {
  for (let attempt = 0; attempt < stopAttempts; attempt += 1) {
    await pause(stopAgainMs, undefined, { ref: false })
    if (!ids.some((id) => state.openShells.has(id))) return
    await sendStop(state)
  }
}

const stopAgainMs = 250
const stopAttempts = 120

/** The agent has ended: so have the commands that it ran. */
export const endShells = (state: ConversationState): void => {
  for (const id of [...state.openShells]) endShell(state, id)
}

const endShell = (state: ConversationState, id: string): void =>
  updateSession(state, { type: 'session_update', shell: { id, cancelled: true } })

import { randomUUID } from 'node:crypto'
import { defined } from '../../shared/fields.ts'
import { authorName } from './authors.ts'
import { audited, isCarriedOut } from './commands.ts'
import type { ConversationState } from './conversation-state.ts'
import { updateSession } from './intake.ts'
import type { SendCommand } from './send-command.ts'
import type { Session } from './session.ts'

/** Shell commands that a person runs through the agent, which then knows their output. */
export const shellCommands = (
  state: ConversationState,
  send: SendCommand,
): Pick<Session, 'runShell' | 'stopShell'> => ({
  async runShell(command, { by } = {}) {
    if (state.deps.agent.capabilities.shell !== true) return { outcome: 'unsupported' }
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
    const command = { type: 'abortShell', id: randomUUID() } as const
    const result = (await state.driver?.send(command)) ?? { outcome: 'accepted' }
    return audited(state, result, { action: 'shell_stopped', by })
  },
})

/** The agent has ended: so have the commands that it ran. */
export const endShells = (state: ConversationState): void => {
  for (const id of [...state.openShells]) endShell(state, id)
}

const endShell = (state: ConversationState, id: string): void =>
  updateSession(state, { type: 'session_update', shell: { id, cancelled: true } })

import type { AgentEvent } from '../../events/types.ts'

/** Something that a person should read, once. */
export const notice = (text: string): AgentEvent => ({
  type: 'session_update',
  notice: { level: 'info', text },
})

export const statusUpdate = (text: string): AgentEvent => ({ type: 'session_update', status: text })

export const staysQueuedNotice = (count: number): AgentEvent =>
  notice(count === 1 ? '1 message stays queued.' : `${count} messages stay queued.`)

export const lostMessagesNotice = (count: number): AgentEvent =>
  notice(
    count === 1
      ? '1 queued message is lost with the agent.'
      : `${count} queued messages are lost with the agent.`,
  )

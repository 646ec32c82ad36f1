import type { AgentDescription } from '../agents/agent.ts'
import { loginAdvice } from '../events/login-advice.ts'
import type { AgentEvent } from '../events/types.ts'

/** Why a run failed, by its events. */
export interface RunFailure {
  observe(event: AgentEvent): void
  /** Whether the agent itself has reported the failure. Its exit code says nothing more then. */
  isReported(): boolean
  /** How to log in, if that is the reason. */
  advice(agent: AgentDescription): string | undefined
}

export const createRunFailure = (): RunFailure => {
  let isReported = false
  let messages: string[] = []
  return {
    observe(event) {
      if (event.type === 'agent_start') messages = []
      if (event.type === 'error') messages.push(event.message)
      if (event.type !== 'agent_end' || event.parentToolCallId !== undefined) return
      isReported = event.stopReason === 'error' && event.errorMessage !== undefined
      if (event.errorMessage !== undefined) messages.push(event.errorMessage)
    },
    isReported: () => isReported,
    advice: (agent) => loginAdvice(agent, messages.slice(-10).join('\n')),
  }
}

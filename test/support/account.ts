import type { AgentEvent } from '../../src/events/types.ts'
import { createLedger } from '../../src/ledger/index.ts'

/** What a reader learns of a run, whether it came from the stream or from the session file. */
export interface Account {
  answers: { id?: string; content: unknown; usage?: unknown }[]
  calls: { id: string; name: string; input: unknown }[]
  results: { toolCallId: string; content: unknown; isError: boolean }[]
  ends: (string | undefined)[]
  /** What the ledger counts of the run. */
  tokens: unknown
}

export const accountOf = (events: readonly AgentEvent[]): Account => {
  const account: Account = { answers: [], calls: [], results: [], ends: [], tokens: {} }
  const ledger = createLedger()
  for (const event of events) {
    ledger.add(event)
    if (event.type === 'message_end' && event.message.role === 'assistant') {
      const { content, usage } = event.message
      account.answers.push({ id: event.messageId, content, usage })
    }
    if (event.type === 'tool_call')
      account.calls.push({ id: event.toolCallId, name: event.toolName, input: event.input })
    if (event.type === 'tool_result') {
      const { toolCallId, content, isError } = event.message
      account.results.push({ toolCallId, content, isError })
    }
    if (event.type === 'agent_end') account.ends.push(event.stopReason)
  }
  const { input, output, cacheRead, cacheWrite, reasoning } = ledger.totals()
  account.tokens = { input, output, cacheRead, cacheWrite, reasoning }
  return account
}

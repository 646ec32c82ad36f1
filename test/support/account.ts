import type { AgentEvent } from '../../src/events/types.ts'
import { createLedger } from '../../src/ledger/index.ts'
import { defined } from '../../src/shared/fields.ts'

/** What a reader learns of a run, whether it came from the stream or from the session file. */
export interface Account {
  answers: { id?: string; content: unknown; usage?: unknown; stop?: string; thread?: string }[]
  calls: { id: string; name: string; input: unknown }[]
  results: { toolCallId: string; content: unknown; isError: boolean }[]
  ends: (string | undefined)[]
  /** Why runs failed. */
  failures: string[]
  /** How many messages were withdrawn, and how many compactions there were. */
  withdrawn: number
  compactions: number
  /** What the ledger counts of the run. */
  tokens: unknown
}

export const accountOf = (events: readonly AgentEvent[]): Account => {
  const account: Account = {
    ...{ answers: [], calls: [], results: [], ends: [], failures: [] },
    ...{ withdrawn: 0, compactions: 0, tokens: {} },
  }
  const ledger = createLedger()
  for (const event of events) {
    ledger.add(event)
    if (event.type === 'message_end' && event.message.role === 'assistant') {
      const { content, usage, stopReason } = event.message
      const thread = event.parentToolCallId
      account.answers.push({
        ...{ id: event.messageId, content, usage },
        ...defined({ stop: stopReason, thread }),
      })
    }
    if (event.type === 'message_withdrawn') account.withdrawn += 1
    if (event.type === 'compaction_end') account.compactions += 1
    if (event.type === 'tool_call')
      account.calls.push({ id: event.toolCallId, name: event.toolName, input: event.input })
    if (event.type === 'tool_result') {
      const { toolCallId, content, isError } = event.message
      account.results.push({ toolCallId, content, isError })
    }
    if (event.type !== 'agent_end') continue
    account.ends.push(event.stopReason)
    if (event.errorMessage !== undefined) account.failures.push(event.errorMessage)
  }
  const { input, output, cacheRead, cacheWrite, reasoning } = ledger.totals()
  account.tokens = { input, output, cacheRead, cacheWrite, reasoning }
  return account
}

import type { AgentEvent, EventOf, Usage } from '../../../events/types.ts'

const emptyContext = 1200
const dollarsPerInput = 3 / 1_000_000
const dollarsPerOutput = 15 / 1_000_000

/**
 * Made-up tokens and costs, marked as estimates. The cost is reported for the whole process: as the
 * price of a call it would count as reported by a provider.
 */
export interface DemoAccount {
  /** Adds a message of the user to the context. */
  addInput(text: string): void
  /** Adds a message of the demo to the context; returns the usage of the call that wrote it. */
  addOutput(text: string): Usage
  /** The event that reports the cost so far. */
  report(): AgentEvent
  /** Replaces the context by a summary; returns its size before and after. */
  compact(summary: string): Pick<EventOf<'compaction_end'>, 'tokensBefore' | 'tokensAfter'>
}

export const createDemoAccount = (): DemoAccount => {
  let context = emptyContext
  let costUsd = 0

  return {
    addInput(text) {
      context += tokensIn(text)
    },
    addOutput(text) {
      const output = tokensIn(text)
      const usage: Usage = { input: 40, cacheRead: context, output, estimated: true }
      costUsd += 40 * dollarsPerInput + output * dollarsPerOutput
      context += output + 40
      return usage
    },
    report: () => ({
      type: 'session_update',
      reported: { costUsd, costBasis: 'estimated', byModel: {} },
    }),
    compact(summary) {
      const tokensBefore = context
      context = emptyContext + tokensIn(summary)
      return { tokensBefore, tokensAfter: context }
    },
  }
}

const tokensIn = (text: string): number => Math.ceil(text.length / 4)

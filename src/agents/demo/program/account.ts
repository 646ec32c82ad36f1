import type { AgentEvent, EventOf, Usage } from '../../../events/types.ts'

const emptyContext = 1200
const dollarsPerInput = 3 / 1_000_000
const dollarsPerOutput = 15 / 1_000_000

/**
 * Made-up tokens and money, marked so: the tokens as an estimate, and the cost not as the price of
 * a call, which would count as reported, but as an estimate for the whole process.
 */
export const createAccount = () => {
  let context = emptyContext
  let costUsd = 0

  return {
    /** Something was said to the demo. */
    hear(text: string): void {
      context += tokensIn(text)
    },
    /** What the call that said this would have used. */
    speak(text: string): Usage {
      const output = tokensIn(text)
      const usage: Usage = { input: 40, cacheRead: context, output, estimated: true }
      costUsd += 40 * dollarsPerInput + output * dollarsPerOutput
      context += output + 40
      return usage
    },
    report: (): AgentEvent => ({
      type: 'session_update',
      reported: { costUsd, costBasis: 'estimated', byModel: {} },
    }),
    /** The context is summarised. */
    shrink(summary: string): Pick<EventOf<'compaction_end'>, 'tokensBefore' | 'tokensAfter'> {
      const tokensBefore = context
      context = emptyContext + tokensIn(summary)
      return { tokensBefore, tokensAfter: context }
    },
  }
}
export type Account = ReturnType<typeof createAccount>

const tokensIn = (text: string): number => Math.ceil(text.length / 4)

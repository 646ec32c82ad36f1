import type { Agent, ProcessExit } from '../agents/agent.ts'
import { createStream, type StreamCounts } from '../agents/stream.ts'
import { createStamp } from '../events/stamp.ts'
import type { AgentEvent } from '../events/types.ts'
import type { RunResult } from '../handler/stream-handler.ts'
import { createStreamOutput } from '../handler/stream-output.ts'
import { createLedger } from '../ledger/ledger.ts'
import type { Prices } from '../ledger/prices.ts'
import { insertUsageUpdates } from '../ledger/usage-update.ts'
import { nodeTextReader } from '../process/node-text-reader.ts'
import type { OutName } from './out-names.ts'
import { sinkFor } from './outputs.ts'
import { createTally } from './tally.ts'
import { printError, type Terminal } from './terminal.ts'

const now = () => Date.now()

/** Everything from bytes to output in one process: decode, count, stamp, print. */
export interface Pipeline {
  /** Decodes bytes of the agent’s stdout. */
  push(chunk: Uint8Array): void
  /** Adds events of our own, such as an exit error. */
  emit(events: readonly AgentEvent[]): void
  /** What was read so far. */
  counts(): StreamCounts
  /** Ends the stream and prints what is left; returns the result of the run. */
  end(exit?: ProcessExit): RunResult
}

export const createPipeline = (
  agent: Agent,
  sessionId: string,
  out: OutName,
  terminal: Terminal,
  /** Prices for agents that report no cost. A recording is shown without them. */
  prices?: Prices,
  /** Called after each event. */
  onEvent: (event: AgentEvent) => void = () => {},
): Pipeline => {
  const stream = createStream(agent, { reader: nodeTextReader })
  const ledger = createLedger({ ...(prices && { prices }) })
  const stamp = createStamp(sessionId, now)
  const output = createStreamOutput(sinkFor(out, terminal), now)
  const tally = createTally(now)

  const emit = (events: readonly AgentEvent[]) => {
    for (const event of insertUsageUpdates(ledger, events)) {
      tally.push(event)
      output.push(stamp(event))
      onEvent(event)
    }
  }

  return {
    push: (chunk) => emit(stream.push(chunk)),
    emit,
    counts: () => stream.counts(),
    end(exit) {
      emit(stream.end(exit))
      const result = output.end()
      if (out === 'summary') terminal.writeJson(summary(agent, stream, tally), 2)
      // Every other form has the reason among what it prints.
      if (out === 'text' && result.isError)
        printError(result.errorMessage ?? 'The run did not finish.')
      return result
    },
  }
}

const summary = (
  agent: Agent,
  stream: ReturnType<typeof createStream>,
  tally: ReturnType<typeof createTally>,
): object => {
  const { durationMs, isError, stopReason, errorMessage, context } = tally.result()
  const row = tally.row(stream.counts())
  return {
    agent: agent.name,
    ...row,
    isError,
    stopReason,
    errorMessage,
    context,
    durationMs,
  }
}

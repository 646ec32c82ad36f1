import type { AgentEvent } from '../events/types.ts'
import { dispatch } from './dispatch.ts'
import { createResultCollector } from './result-collector.ts'
import type { RunResult, StreamHandler } from './stream-handler.ts'

/** Where events go: a handler’s calls, or lines of JSON. */
export interface EventSink {
  event(event: AgentEvent): void
  complete(result: RunResult): void
}

/** Prints one event per line, as JSON. */
export const jsonSink = (write: (text: string) => void): EventSink => ({
  event: (event) => write(`${JSON.stringify(event)}\n`),
  complete() {},
})

/** Turns events into a handler’s calls. */
export const handlerSink = (handler: StreamHandler): EventSink => ({
  event: (event) => dispatch(event, handler),
  complete: (result) => handler.onComplete(result),
})

/** Feeds a sink and completes it once, when the stream is over. */
export const createStreamOutput = (sink: EventSink, now: () => number) => {
  const collector = createResultCollector(now)
  const { promise, resolve } = Promise.withResolvers<RunResult>()
  return {
    push(event: AgentEvent): void {
      collector.push(event)
      sink.event(event)
    },
    /** The stream is over. */
    end(): RunResult {
      const result = collector.result()
      sink.complete(result)
      resolve(result)
      return result
    },
    /** Settles when the stream is over. */
    completed: promise,
  }
}
export type StreamOutput = ReturnType<typeof createStreamOutput>

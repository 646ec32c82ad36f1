import type { AgentEvent } from '../events/types.ts'
import { oneLineJson } from '../shared/one-line-json.ts'
import { dispatch } from './dispatch.ts'
import { createResultCollector } from './result-collector.ts'
import type { RunResult, StreamHandler } from './stream-handler.ts'

/** Receives the events of a stream and its result. */
export interface EventSink {
  event(event: AgentEvent): void
  /** Called once, when the stream is over. */
  complete(result: RunResult): void
}

/** A sink that prints each event as one line of JSON. */
export const jsonSink = (write: (text: string) => void): EventSink => ({
  event: (event) => write(`${oneLineJson(JSON.stringify(event))}\n`),
  complete() {},
})

/** A sink that calls a stream handler. */
export const handlerSink = (handler: StreamHandler): EventSink => ({
  event: (event) => dispatch(event, handler),
  complete: (result) => handler.onComplete(result),
})

/** Sends a stream to a sink and collects its result. */
export interface StreamOutput {
  /** Sends one event. */
  push(event: AgentEvent): void
  /** Ends the stream. */
  end(): RunResult
  /** Resolves with the result when the stream has ended. */
  completed: Promise<RunResult>
}

export const createStreamOutput = (sink: EventSink, now: () => number): StreamOutput => {
  const collector = createResultCollector(now)
  const { promise, resolve } = Promise.withResolvers<RunResult>()
  return {
    push(event) {
      collector.push(event)
      sink.event(event)
    },
    end() {
      const result = collector.result()
      sink.complete(result)
      resolve(result)
      return result
    },
    completed: promise,
  }
}

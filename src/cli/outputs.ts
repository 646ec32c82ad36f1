import type { AgentEvent } from '../events/types.ts'
import { consoleHandler } from '../handler/console-handler.ts'
import { quietHandler } from '../handler/quiet-handler.ts'
import { type EventSink, handlerSink, jsonSink } from '../handler/stream-output.ts'
import { createStyle } from '../handler/style.ts'
import type { Terminal } from './terminal.ts'

/** The values of `--out`. */
export const outNames = ['pretty', 'text', 'events', 'summary'] as const
export type OutName = (typeof outNames)[number]

export const isOutName = (name: string): name is OutName => outNames.some((known) => known === name)

const silent: EventSink = { event(_: AgentEvent) {}, complete() {} }

/** The sink for each form. A summary prints nothing until the end, so its sink is silent. */
export const sinkFor = (name: OutName, terminal: Terminal): EventSink => {
  switch (name) {
    case 'pretty':
      return handlerSink(
        consoleHandler({ write: terminal.write, style: createStyle(terminal.colour()) }),
      )
    case 'text':
      return handlerSink(quietHandler(terminal.write))
    case 'events':
      return jsonSink(terminal.write)
    case 'summary':
      return silent
  }
}

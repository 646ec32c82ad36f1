import type { AgentEvent } from '../events/types.ts'
import { quietHandler } from '../handler/quiet-handler.ts'
import { type EventSink, handlerSink } from '../handler/stream-output.ts'
import type { OutName } from './out-names.ts'
import { prettyHandler } from './pretty-handler.ts'
import type { Terminal } from './terminal.ts'

const silent: EventSink = { event(_: AgentEvent) {}, complete() {} }

/** The sink for each form. A summary prints nothing until the end, so its sink is silent. */
export const sinkFor = (name: OutName, terminal: Terminal): EventSink => {
  switch (name) {
    case 'pretty':
      return handlerSink(prettyHandler(terminal, terminal.write))
    case 'text':
      return handlerSink(quietHandler(terminal.write))
    case 'events':
      return { event: (event) => terminal.writeJson(event), complete() {} }
    case 'summary':
      return silent
  }
}

import type { AgentEvent } from '../../events/types.ts'
import { consoleHandler } from '../../handler/console-handler.ts'
import { createStreamOutput, handlerSink } from '../../handler/stream-output.ts'
import { createStyle } from '../../handler/style.ts'
import type { Terminal } from '../terminal.ts'
import type { ApprovalPrompt } from './approval-prompt.ts'

/** What a chat prints: the run, and the approvals and hints beside it. */
export interface Screen {
  event(event: AgentEvent): void
  /** Shows a request for approval with everything it is about. */
  showApproval(prompt: ApprovalPrompt): void
  /** Repeats what can be typed. */
  remind(prompt: ApprovalPrompt): void
  notice(text: string): void
  hint(text: string): void
  error(text: string): void
  /** Prints an empty line. */
  space(): void
  /** The prompt is on the last line; whatever comes next starts below it. */
  prompted(): void
  /** The person typed a line, so the cursor is on a new one. */
  typed(): void
  /** Prints the summary of the run. */
  end(): void
  flush(): Promise<void>
}

export const createScreen = (terminal: Terminal): Screen => {
  const style = createStyle(terminal.colour())
  let isAtPrompt = false

  const write = (text: string): void => {
    if (isAtPrompt) terminal.write('\n')
    isAtPrompt = false
    terminal.write(text)
  }
  const handler = consoleHandler({ write, style })
  const output = createStreamOutput(handlerSink(handler), Date.now)
  const keysOf = ({ keys }: ApprovalPrompt): string => `${style('dim', `  ${keys}`)}\n`

  return {
    event: (event) => output.push(event),
    showApproval(prompt) {
      handler.onNotice?.(prompt.title)
      write(prompt.lines.map((line) => `${line}\n`).join('') + keysOf(prompt))
    },
    remind: (prompt) => write(keysOf(prompt)),
    notice: (text) => handler.onNotice?.(text),
    hint: (text) => write(style('dim', `${text}\n`)),
    error: (text) => handler.onError(text),
    space: () => write('\n'),
    prompted() {
      isAtPrompt = true
    },
    typed() {
      isAtPrompt = false
    },
    end: () => void output.end(),
    flush: () => terminal.flush(),
  }
}

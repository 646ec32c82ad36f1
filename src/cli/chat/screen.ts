import type { AgentEvent } from '../../events/types.ts'
import { consoleHandler } from '../../handler/console.ts'
import { createOutput, handlerSink } from '../../handler/output.ts'
import { createStyle } from '../../handler/style.ts'
import type { Terminal } from '../terminal.ts'
import type { Ask } from './ask.ts'

/** What a chat shows: the run, and what a person is asked and told beside it. */
export const createScreen = (terminal: Terminal) => {
  const style = createStyle(terminal.colour())
  let isAtPrompt = false

  const write = (text: string): void => {
    // What comes while a person is asked stands below the prompt, not behind it.
    if (isAtPrompt) terminal.write('\n')
    isAtPrompt = false
    terminal.write(text)
  }
  const handler = consoleHandler({ write, style })
  const output = createOutput(handlerSink(handler), Date.now)
  const keysOf = ({ keys }: Ask): string => `${style('dim', `  ${keys}`)}\n`

  return {
    event: (event: AgentEvent): void => output.push(event),
    ask(ask: Ask): void {
      handler.onNotice?.(ask.title)
      write(ask.lines.map((line) => `${line}\n`).join('') + keysOf(ask))
    },
    /** What can be typed, for a line that answered nothing. */
    remind: (ask: Ask): void => write(keysOf(ask)),
    notice: (text: string): void => handler.onNotice?.(text),
    hint: (text: string): void => write(style('dim', `${text}\n`)),
    error: (text: string): void => handler.onError(text),
    /** Sets what comes next apart. */
    space: (): void => write('\n'),
    /** The prompt stands there, and nothing is typed yet. */
    prompted(): void {
      isAtPrompt = true
    },
    /** A line was typed, and ended. */
    typed(): void {
      isAtPrompt = false
    },
    end: (): void => void output.end(),
    flush: (): Promise<void> => terminal.flush(),
  }
}

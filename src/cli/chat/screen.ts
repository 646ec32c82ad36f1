import type { AgentEvent } from '../../events/types.ts'
import { isWithoutRun } from '../../handler/console-handler.ts'
import { dispatch } from '../../handler/dispatch.ts'
import type { RunResult } from '../../handler/stream-handler.ts'
import { createStreamOutput, handlerSink } from '../../handler/stream-output.ts'
import { createStyle, type Style } from '../../handler/style.ts'
import { prettyHandler } from '../pretty-handler.ts'
import type { Terminal } from '../terminal.ts'
import { wrapText } from '../wrap-text.ts'
import type { ApprovalPrompt } from './approval-prompt.ts'
import type { QuestionPage } from './approval-prompts.ts'
import { keyRows, pagesOf } from './pages.ts'

/** What a chat prints: the run, and the approvals and hints beside it. */
export interface Screen {
  event(event: AgentEvent): void
  /** Prints events of earlier runs. They do not count in the summary. */
  history(events: readonly AgentEvent[]): void
  readonly style: Style
  readonly terminal: Terminal
  /** The rows of each page of a request for approval. */
  layOut(prompt: ApprovalPrompt): string[][]
  /** Shows one page of a request. */
  showPage(page: QuestionPage): void
  /** Repeats what can be typed. */
  remind(page: QuestionPage, problem?: string): void
  /** Prints a line of a list. */
  line(text: string): void
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
  const columns = () => terminal.size()?.columns ?? Number.MAX_SAFE_INTEGER

  const write = (text: string): void => {
    if (isAtPrompt) terminal.write('\n')
    isAtPrompt = false
    terminal.write(text)
  }
  const handler = prettyHandler(terminal, write)
  // A chat without a run is no mistake, as a stream without one is.
  const onComplete = (result: RunResult): void => {
    if (!isWithoutRun(result)) handler.onComplete(result)
  }
  const output = createStreamOutput(handlerSink({ ...handler, onComplete }), Date.now)
  const keysOf = ({ prompt, isLast, place }: QuestionPage): string =>
    (isLast ? prompt.keys : [`${place} · Enter or space shows more · d denies`])
      .flatMap((line) => keyRows(line, columns()))
      .map((row) => `${style('dim', row)}\n`)
      .join('')

  return {
    event: (event) => output.push(event),
    history(events) {
      for (const event of events) dispatch(event, handler)
      write('\n')
    },
    style,
    terminal,
    layOut(prompt) {
      const warnings = prompt.warnings.map((text) => `${style('red', '!')} ${text}`)
      return pagesOf({ ...prompt, warnings }, terminal.size())
    },
    showPage(page) {
      const [title = '', ...rows] = page.rows
      if (page.isFirst) handler.onNotice?.(title)
      write((page.isFirst ? rows : page.rows).map((row) => `${row}\n`).join('') + keysOf(page))
    },
    remind: (page, problem) =>
      write((problem === undefined ? '' : `  ${style('red', '!')} ${problem}\n`) + keysOf(page)),
    line: (text) => write(`${text}\n`),
    notice: (text) => handler.onNotice?.(text),
    hint: (text) => write(style('dim', `${wrapText(text, columns())}\n`)),
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

import { isMoreLine } from '../events/blob-preview.ts'
import { createMarkdownPainter } from './markdown-painter.ts'
import type { RunResult, StreamHandler } from './stream-handler.ts'
import type { Style } from './style.ts'
import { summaryLine } from './summary-line.ts'
import { createTodoPrinter } from './todo-lines.ts'

export interface ConsoleOptions {
  write(text: string): void
  style: Style
  /** How many lines of a tool’s result are shown if its output was not streamed. Default: 8. */
  resultLines?: number
}

interface Tool {
  name: string
  title: string
  indent: string
  /** The last line of streamed output; undefined if there was none. */
  lastLine?: string | undefined
}

/** Prints a run for people: coloured Markdown, tools with their live output, and a summary. */
export const consoleHandler = ({
  write,
  style,
  resultLines = 8,
}: ConsoleOptions): StreamHandler => {
  let isLineStart = true
  /** What was printed last; `ended` is the text of a message that has ended. */
  let mode: 'text' | 'thinking' | 'ended' | 'none' = 'none'
  const tools = new Map<string, Tool>()
  /** The tool that printed last. Output of another tool starts with its title. */
  let currentTool: string | undefined

  const print = (text: string) => {
    if (text === '') return
    isLineStart = text.endsWith('\n')
    write(text)
  }
  const painter = createMarkdownPainter(style, print)

  const breakLine = () => {
    if (mode === 'text') painter.end()
    mode = 'none'
    if (!isLineStart) print('\n')
  }

  const printLine = (text: string) => {
    breakLine()
    currentTool = undefined
    print(`${text}\n`)
  }

  const printOutput = (id: string, text: string) => {
    const { title = 'tool', indent = '' } = tools.get(id) ?? {}
    if (text === '') return
    if (currentTool !== id) printLine(style('dim', `${indent}  ┌ ${title}`))
    for (const line of text.replace(/\n$/, '').split('\n'))
      printLine(style('dim', `${indent}  │ ${line}`))
    currentTool = id
  }

  return {
    onPrompt: (text) => printLine(`${style('cyan', '›')} ${style('bold', text)}`),
    onText(text) {
      if (mode === 'ended') print('\n')
      if (mode !== 'text') breakLine()
      mode = 'text'
      painter.push(text)
    },
    onThinking(text) {
      if (mode !== 'thinking') breakLine()
      mode = 'thinking'
      print(style('dim', text))
    },
    onMessageEnd() {
      if (mode !== 'text') return
      breakLine()
      mode = 'ended'
    },
    onToolCall(name, id, input, parentId) {
      const parent = parentId === undefined ? undefined : tools.get(parentId)
      const indent = parent ? `${parent.indent}  ` : ''
      const summary = inputSummary(input)
      tools.set(id, { name, title: `${name} ${summary}`, indent })
      printLine(`${indent}${style('blue', '●')} ${style('bold', name)} ${style('dim', summary)}`)
      currentTool = id
    },
    onToolOutput(id, text) {
      const tool = tools.get(id)
      if (tool) tool.lastLine = lastLineOf(text) ?? tool.lastLine
      printOutput(id, text)
    },
    onToolResult(id, text, isError) {
      const { name = 'tool', indent = '', lastLine } = tools.get(id) ?? {}
      if (lastLine === undefined || isError)
        printOutput(id, firstLines(afterLine(text, lastLine), resultLines))
      if (isError) printLine(`${indent}  ${style('red', '✗')} ${name} failed`)
    },
    onNotice: (text) => printLine(style('yellow', `• ${text}`)),
    onTodos: createTodoPrinter(style, printLine),
    onError: (error) => printLine(style('red', `✗ ${error}`)),
    onComplete: (result) => printLine(`\n${completion(result, style)}`),
  }
}

const completion = (result: RunResult, style: Style): string => {
  if (isWithoutRun(result)) return `${style('yellow', '–')} ${style('dim', noRun)}`
  const mark = result.isError ? style('red', '✗') : style('green', '✓')
  return `${mark} ${style('dim', summaryLine(result))}`
}

const noRun = 'The stream contains no run of an agent.'

/** Whether there is nothing to summarise: only notices, or no output of an agent. */
export const isWithoutRun = ({ isError, turns, text, stopReason }: RunResult): boolean =>
  !isError && turns === 0 && text === '' && stopReason === undefined

/** The arguments of a tool in one line: the first text among them, or else their JSON. */
export const inputSummary = (input: unknown): string => {
  if (typeof input !== 'object' || input === null) return ''
  const texts = Object.values(input).filter((value) => typeof value === 'string')
  const text = (texts[0] ?? JSON.stringify(input)).replaceAll(/\s+/g, ' ').trim()
  return text.length > 100 ? `${text.slice(0, 99)}…` : text
}

const lastLineOf = (text: string): string | undefined =>
  text.split('\n').findLast((line) => line.trim() !== '')

/** The text after the last line that was streamed; all of it if the text does not contain the line. */
const afterLine = (text: string, lastLine: string | undefined): string => {
  const lines = text.split('\n')
  const index = lastLine === undefined ? -1 : lines.lastIndexOf(lastLine)
  if (index === -1) return text
  return lines
    .slice(index + 1)
    .join('\n')
    .trim()
}

/** The first lines of a text, and how many more there are. */
const firstLines = (text: string, count: number): string => {
  const lines = text.replace(/\n$/, '').split('\n')
  if (lines.length <= count) return lines.join('\n')
  const more = lines.slice(-1).filter(isMoreLine)
  const rest = lines.length - count - more.length
  return [...lines.slice(0, count), ...(rest > 0 ? [`… ${rest} more lines`] : []), ...more].join(
    '\n',
  )
}

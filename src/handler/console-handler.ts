import { isMoreLine } from '../events/blob-preview.ts'
import { createMarkdownPainter } from './markdown-painter.ts'
import type { RunResult, StreamHandler } from './stream-handler.ts'
import type { Style } from './style.ts'
import { summaryLine } from './summary-line.ts'

export interface ConsoleOptions {
  write(text: string): void
  style: Style
  /** Lines of a tool’s result that are shown when nothing was streamed. */
  resultLines?: number
}

interface Tool {
  name: string
  title: string
  indent: string
  /** The last line that was streamed, if any was. */
  lastLine?: string | undefined
}

/** A run for people: coloured Markdown, a line for each tool, its output live, a summary. */
export const consoleHandler = ({
  write,
  style,
  resultLines = 8,
}: ConsoleOptions): StreamHandler => {
  let fresh = true
  let mode: 'text' | 'thinking' | 'none' = 'none'
  const tools = new Map<string, Tool>()
  /** The tool whose line or output stands last; output of another one says whose it is. */
  let speaking: string | undefined

  const put = (text: string) => {
    if (text === '') return
    fresh = text.endsWith('\n')
    write(text)
  }
  const painter = createMarkdownPainter(style, put)

  const breakLine = () => {
    if (mode === 'text') painter.end()
    mode = 'none'
    if (!fresh) put('\n')
  }

  const line = (text: string) => {
    breakLine()
    speaking = undefined
    put(`${text}\n`)
  }

  const output = (id: string, text: string) => {
    const { title = 'tool', indent = '' } = tools.get(id) ?? {}
    if (text === '') return
    if (speaking !== id) line(style('dim', `${indent}  ┌ ${title}`))
    for (const each of text.replace(/\n$/, '').split('\n'))
      line(style('dim', `${indent}  │ ${each}`))
    speaking = id
  }

  const markOf = (result: RunResult): string => {
    if (result.isError) return style('red', '✗')
    return isWithoutRun(result) ? style('yellow', '–') : style('green', '✓')
  }

  return {
    onPrompt: (text) => line(`${style('cyan', '›')} ${style('bold', text)}`),
    onText(text) {
      if (mode !== 'text') breakLine()
      mode = 'text'
      painter.push(text)
    },
    onThinking(text) {
      if (mode !== 'thinking') breakLine()
      mode = 'thinking'
      put(style('dim', text))
    },
    onToolCall(name, id, input, parentId) {
      const parent = parentId === undefined ? undefined : tools.get(parentId)
      const indent = parent ? `${parent.indent}  ` : ''
      tools.set(id, { name, title: `${name} ${brief(input)}`, indent })
      line(`${indent}${style('blue', '●')} ${style('bold', name)} ${style('dim', brief(input))}`)
      speaking = id
    },
    onToolOutput(id, text) {
      const tool = tools.get(id)
      if (tool) tool.lastLine = lastLineOf(text) ?? tool.lastLine
      output(id, text)
    },
    onToolResult(id, text, isError) {
      const { name = 'tool', indent = '', lastLine } = tools.get(id) ?? {}
      if (lastLine === undefined || isError) output(id, head(unseen(text, lastLine), resultLines))
      if (isError) line(`${indent}  ${style('red', '✗')} ${name} failed`)
    },
    onNotice: (text) => line(style('yellow', `• ${text}`)),
    onError: (error) => line(style('red', `✗ ${error}`)),
    onComplete(result) {
      breakLine()
      put(
        `\n${markOf(result)} ${style('dim', isWithoutRun(result) ? noRun : summaryLine(result))}\n`,
      )
    },
  }
}

/** Nothing but notices, or lines that are no agent’s: there is nothing to sum up. */
const isWithoutRun = ({ isError, turns, text, stopReason }: RunResult): boolean =>
  !isError && turns === 0 && text === '' && stopReason === undefined
const noRun = 'There is no run of an agent in this stream.'

/** One line that tells what a tool was asked to do. */
const brief = (input: unknown): string => {
  if (typeof input !== 'object' || input === null) return ''
  const said = Object.values(input).filter((value) => typeof value === 'string')
  const text = (said[0] ?? JSON.stringify(input)).replaceAll(/\s+/g, ' ').trim()
  return text.length > 100 ? `${text.slice(0, 99)}…` : text
}

const lastLineOf = (text: string): string | undefined =>
  text.split('\n').findLast((line) => line.trim() !== '')

/** What a result says behind the last line that was streamed; all of it where that is not in it. */
const unseen = (text: string, lastLine: string | undefined): string => {
  const lines = text.split('\n')
  const seen = lastLine === undefined ? -1 : lines.lastIndexOf(lastLine)
  if (seen === -1) return text
  return lines
    .slice(seen + 1)
    .join('\n')
    .trim()
}

const head = (text: string, count: number): string => {
  const lines = text.replace(/\n$/, '').split('\n')
  if (lines.length <= count) return lines.join('\n')
  const more = lines.slice(-1).filter(isMoreLine)
  const left = lines.length - count - more.length
  return [...lines.slice(0, count), ...(left > 0 ? [`… ${left} more lines`] : []), ...more].join(
    '\n',
  )
}

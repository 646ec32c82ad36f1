import { createPainter } from './markdown.ts'
import type { StreamHandler } from './stream-handler.ts'
import type { Style } from './style.ts'
import { summaryLine } from './summary.ts'

export interface ConsoleOptions {
  write(text: string): void
  style: Style
  /** Lines of a tool’s result that are shown when nothing was streamed. */
  resultLines?: number
}

/** A run for people: coloured Markdown, a line for each tool, its output live, a summary. */
export const consoleHandler = ({
  write,
  style,
  resultLines = 8,
}: ConsoleOptions): StreamHandler => {
  let fresh = true
  let mode: 'text' | 'thinking' | 'none' = 'none'
  const streamed = new Map<string, boolean>()
  const names = new Map<string, string>()

  const put = (text: string) => {
    if (text === '') return
    fresh = text.endsWith('\n')
    write(text)
  }
  const painter = createPainter(style, put)

  const breakLine = () => {
    if (mode === 'text') painter.end()
    mode = 'none'
    if (!fresh) put('\n')
  }

  const line = (text: string) => {
    breakLine()
    put(`${text}\n`)
  }

  const output = (text: string) => {
    for (const each of text.replace(/\n$/, '').split('\n')) line(style('dim', `  │ ${each}`))
  }

  return {
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
    onToolCall(name, id, input) {
      names.set(id, name)
      line(`${style('blue', '●')} ${style('bold', name)} ${style('dim', brief(input))}`)
    },
    onToolOutput(id, text) {
      streamed.set(id, true)
      output(text)
    },
    onToolResult(id, text, isError) {
      const name = names.get(id) ?? 'tool'
      if (!streamed.delete(id) || isError) output(head(text, resultLines))
      if (isError) line(`  ${style('red', '✗')} ${name} failed`)
    },
    onNotice: (text) => line(style('yellow', `• ${text}`)),
    onError: (error) => line(style('red', `✗ ${error}`)),
    onComplete(result) {
      breakLine()
      const mark = result.isError ? style('red', '✗') : style('green', '✓')
      put(`\n${mark} ${style('dim', summaryLine(result))}\n`)
    },
  }
}

/** One line that tells what a tool was asked to do. */
const brief = (input: unknown): string => {
  if (typeof input !== 'object' || input === null) return ''
  const said = Object.values(input).filter((value) => typeof value === 'string')
  const text = (said[0] ?? JSON.stringify(input)).replaceAll(/\s+/g, ' ').trim()
  return text.length > 100 ? `${text.slice(0, 99)}…` : text
}

const head = (text: string, count: number): string => {
  const lines = text.replace(/\n$/, '').split('\n')
  if (lines.length <= count) return lines.join('\n')
  return [...lines.slice(0, count), `… ${lines.length - count} more lines`].join('\n')
}

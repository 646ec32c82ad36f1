import type { TodoItem } from '../events/types.ts'
import type { Style } from './style.ts'

/** So many open items are listed. */
const maxItems = 8
const maxLength = 100

/** Prints to-do lists for people. A list that looks the same as the one before is not repeated. */
export const createTodoPrinter = (style: Style, print: (text: string) => void) => {
  let shown = todoLines([], style)
  return (todos: readonly TodoItem[]): void => {
    const lines = todoLines(todos, style)
    if (lines !== shown) print(lines)
    shown = lines
  }
}

/** How much is done, and what is left. */
const todoLines = (todos: readonly TodoItem[], style: Style): string => {
  const counted = todos.filter(({ state }) => state !== 'cancelled')
  const open = counted.filter(({ state }) => state !== 'completed')
  const mark = style('cyan', '☰')
  if (counted.length === 0) return `${mark} ${style('dim', 'The to-do list is empty.')}`
  const done = `${counted.length - open.length} of ${counted.length} done`
  const more = open.length - maxItems
  return [
    `${mark} ${style('bold', 'To do')} ${style('dim', `· ${done}`)}`,
    ...open.slice(0, maxItems).map((item) => todoLine(item, style)),
    ...(more > 0 ? [style('dim', `    … ${more} more`)] : []),
  ].join('\n')
}

const todoLine = ({ state, text, activity }: TodoItem, style: Style): string => {
  if (state === 'in_progress') return `  ${style('cyan', '▸')} ${shortLine(activity ?? text)}`
  return style('dim', `  ○ ${shortLine(text)}`)
}

const shortLine = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > maxLength ? `${line.slice(0, maxLength - 1)}…` : line
}

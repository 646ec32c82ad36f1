import type { ComparedSession } from '../api/types.ts'
import { formatAmount } from '../budget/amounts.ts'
import { plainLine } from './clean-text.ts'
import { textWidth } from './text-width.ts'
import { wrapText } from './wrap-text.ts'

/** What is known of an agent while it works. */
export type ComparedState = Pick<ComparedSession, 'session' | 'state' | 'problem'> &
  Partial<ComparedSession>

/** One agent in one line: its state, cost, time and changed lines. */
export const comparisonRow = (compared: ComparedState): string => {
  const { session, state, problem } = compared
  const { agent, usage, workedMs, activity } = session
  const cost = usage?.costUsd
  const shown = state === 'running' ? (activity?.kind ?? state) : state.replace('_', ' ')
  const parts = [
    agent.padEnd(10),
    shown.padEnd(11),
    (typeof cost === 'number' ? formatAmount('costUsd', cost) : '–').padEnd(9),
    (workedMs === undefined ? '–' : formatAmount('durationMs', workedMs)).padEnd(8),
    changeText(compared),
    problem === undefined ? '' : plainLine(problem),
  ]
  return parts.join(' ').trimEnd()
}

const changeText = ({ files, additions = 0, deletions = 0 }: ComparedState): string => {
  if (files === undefined) return ''
  if (files.length === 0) return 'no changes'
  return `+${additions} -${deletions} in ${files.length} ${files.length === 1 ? 'file' : 'files'}`
}

/** A column that is narrower is hard to read. */
const columnMin = 30
const gap = 2

/** All agents: a row for each, then their results side by side, or below each other. */
export const comparisonText = (
  compared: readonly ComparedSession[],
  { columns, canTake = true }: { columns: number; canTake?: boolean },
): string => {
  const rows = compared.map((each) => `${wrapText(comparisonRow(each), columns)}\n`).join('')
  const fits = Math.floor((columns + gap) / compared.length) - gap
  const width = fits >= columnMin ? fits : columns
  const blocks = compared.map((each) => blockOf(each, width))
  const body = fits >= columnMin ? sideBySide(blocks, width) : blocks.map(stacked).join('\n')
  return `\n${rows}\n${body}${canTake ? takeText(compared, columns) : ''}`
}

const blockOf = ({ session, text, files }: ComparedSession, width: number): string[] => {
  const lines = text
    .split('\n')
    .flatMap((line) => wrapText(plainLine(line), width).split('\n'))
    .slice(0, 30)
  const paths = files.slice(0, 10).map(({ path }) => plainLine(path))
  const shown = [session.agent, '─'.repeat(Math.min(width, 20)), ...lines, '', ...paths]
  return shown.flatMap((line) => (textWidth(line) > width ? [line.slice(0, width)] : [line]))
}

const stacked = (lines: readonly string[]): string => `${lines.join('\n')}\n`

const sideBySide = (blocks: readonly (readonly string[])[], width: number): string => {
  const height = Math.max(...blocks.map(({ length }) => length))
  const rows = Array.from({ length: height }, (_, at) =>
    blocks.map((block) => padded(block[at] ?? '', width)).join(' '.repeat(gap)),
  )
  return rows.map((row) => `${row.trimEnd()}\n`).join('')
}

const padded = (line: string, width: number): string =>
  line + ' '.repeat(Math.max(0, width - textWidth(line)))

/** Where the results are, and how to take one. */
const takeText = (compared: readonly ComparedSession[], columns: number): string => {
  const changed = compared.filter(({ session, files }) => session.worktree && files.length > 0)
  if (changed.length === 0) return ''
  const places = changed.map(({ session }) => {
    const { path = '', branch = '' } = session.worktree ?? {}
    // A path is never broken: a person copies it.
    return `  ${session.agent}\n    ${plainLine(path)}\n    git merge ${plainLine(branch)}`
  })
  const advice = 'To take one, commit in its directory, and then run its `git merge`.'
  return `\nResults:\n${places.join('\n')}\n${wrapText(advice, columns)}\n`
}

import type { SessionInfo, TurnDiff } from '../api/types.ts'
import { formatAmount } from '../budget/amounts.ts'
import { plainLine } from './clean-text.ts'
import { textWidth } from './text-width.ts'
import { wrapText } from './wrap-text.ts'

/** One agent of a comparison, with what is known of it so far. */
export interface ComparedAgent {
  session: SessionInfo
  /** Why the agent did not start. */
  problem?: string
  diff?: TurnDiff
  /** Its last message. */
  text?: string
}

/** One agent in one line: its state, cost, time and changed lines. */
export const comparisonRow = ({ session, diff, problem }: ComparedAgent): string => {
  const { agent, usage, workedMs, activity } = session
  const state = problem === undefined ? stateOf(session.state, activity?.kind) : 'failed'
  const cost = usage?.costUsd
  const lines = diff === undefined ? '' : changeText(diff)
  const parts = [
    agent.padEnd(10),
    state.padEnd(10),
    (typeof cost === 'number' ? formatAmount('costUsd', cost) : '–').padEnd(9),
    (workedMs === undefined ? '–' : formatAmount('durationMs', workedMs)).padEnd(8),
    lines,
    problem === undefined ? '' : plainLine(problem),
  ]
  return parts.join(' ').trimEnd()
}

const stateOf = (state: SessionInfo['state'], kind: string | undefined): string => {
  if (kind === 'failed' || kind === 'approval') return kind
  return state === 'running' ? (kind ?? 'running') : 'done'
}

const changeText = ({ files }: TurnDiff): string => {
  if (files.length === 0) return 'no changes'
  const added = files.reduce((sum, { additions = 0 }) => sum + additions, 0)
  const removed = files.reduce((sum, { deletions = 0 }) => sum + deletions, 0)
  return `+${added} -${removed} in ${files.length} ${files.length === 1 ? 'file' : 'files'}`
}

/** A column that is narrower is hard to read. */
const columnMin = 30
const gap = 2

/** All agents: a row for each, then their results side by side, or below each other. */
export const comparisonText = (compared: readonly ComparedAgent[], columns: number): string => {
  const rows = compared.map((each) => `${comparisonRow(each)}\n`).join('')
  const fits = Math.floor((columns + gap) / compared.length) - gap
  const width = fits >= columnMin ? fits : columns
  const blocks = compared.map((each) => blockOf(each, width))
  const body = fits >= columnMin ? sideBySide(blocks, width) : blocks.map(stacked).join('\n')
  return `\n${rows}\n${body}${takeText(compared)}`
}

const blockOf = ({ session, text = '', diff }: ComparedAgent, width: number): string[] => {
  const lines = text
    .split('\n')
    .flatMap((line) => wrapText(plainLine(line), width).split('\n'))
    .slice(0, 30)
  const files = (diff?.files ?? []).slice(0, 10).map(({ path }) => plainLine(path))
  const shown = [session.agent, '─'.repeat(Math.min(width, 20)), ...lines, '', ...files]
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
const takeText = (compared: readonly ComparedAgent[]): string => {
  const changed = compared.filter(({ session, diff }) => session.worktree && diff?.files.length)
  if (changed.length === 0) return ''
  const places = changed.map(
    ({ session }) => `  ${session.agent.padEnd(10)} ${session.worktree?.path}`,
  )
  return `\nResults:\n${places.join('\n')}\nTo take one: commit there, then merge its branch (git merge sluice/…).\n`
}

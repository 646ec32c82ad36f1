import { formatSize } from '../shared/format-size.ts'
import type { ImportCount, ImportProgress } from '../watch/files/import-files.ts'
import { printRawError } from './terminal.ts'

/** What an import did with one agent, as a line. */
export const importLine = (count: ImportCount, { isDry }: { isDry: boolean }): string => {
  const { agent, directory, read, unchanged, bytes } = count
  if (Object.values(count).every((value) => typeof value !== 'number' || value === 0))
    return `${agent.padEnd(8)} no sessions  ${directory}\n`
  const notes = [
    [unchanged, 'already imported'],
    [count.own, 'run by Sluice'],
    [count.deleted, 'deleted here'],
    [count.empty, 'without a session'],
    [count.unreadable, 'not readable'],
    [count.failed, 'failed'],
  ] as const
  const rest = notes.flatMap(([number, what]) => (number > 0 ? [`${number} ${what}`] : []))
  const done = `${isDry ? 'would read' : 'read'} ${sessions(read)} (${formatSize(bytes)})`
  return `${agent.padEnd(8)} ${[done, ...rest].join(', ')}  ${directory}\n`
}

const sessions = (count: number): string => (count === 1 ? '1 session' : `${count} sessions`)

/** Shows how far an import is, on one line that changes in place and is removed at the end. */
export interface ImportProgressLine {
  show(progress: ImportProgress): void
  remove(): void
}

/** Nothing is shown more often: a terminal is slower than an import. */
const showMs = 100

/** Undefined where nobody looks at a screen. */
export const createProgressLine = (now = Date.now): ImportProgressLine | undefined => {
  if (!process.stderr.isTTY) return undefined
  let shownAt = 0
  return {
    show({ agent, done, sessions: all, bytes, allBytes }) {
      if (now() - shownAt < showMs) return
      shownAt = now()
      const percent = allBytes === 0 ? 100 : Math.floor((100 * bytes) / allBytes)
      const sizes = `${formatSize(bytes)} of ${formatSize(allBytes)}`
      printRawError(`\r\u001b[K${agent}: ${done} of ${all} sessions, ${sizes} (${percent} %)`)
    },
    remove: () => shownAt > 0 && printRawError('\r\u001b[K'),
  }
}

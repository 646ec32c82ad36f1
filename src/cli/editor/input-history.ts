import { appendFileSync } from 'node:fs'
import { readPrivate, writePrivate } from '../../files/private-file.ts'

/** The messages that a person typed, in all chats of a data directory. */
export interface InputHistory {
  /** Stores a message. A failure is ignored: it must not stop a chat. */
  add(text: string): void
  /** Starts again at the newest message. */
  reset(): void
  /** The next older message that begins with the text that is being typed; undefined at the end. */
  older(current: string): string | undefined
  /** The next newer message, and at last what was being typed. */
  newer(): string | undefined
}

/** How many messages are kept, and how long one may be. */
const maxEntries = 1000
const maxLength = 20_000

/** Reads the history file when it is first needed. The file can be read by its owner only. */
export const openInputHistory = (path: string | undefined): InputHistory => {
  let entries: string[] | undefined
  /** The messages that were shown, the newest first, after what was being typed. */
  let shown: string[] = []
  let place = 0

  const load = (): string[] => {
    entries ??= path === undefined ? [] : readEntries(path)
    return entries
  }

  const reset = (): void => {
    shown = []
    place = 0
  }

  return {
    add(text) {
      reset()
      const all = load()
      if (text.length > maxLength || text === all.at(-1)) return
      all.push(text)
      if (path !== undefined) appendEntry(path, text)
    },
    reset,
    older(current) {
      if (shown.length === 0) shown = [current, ...matching(load(), current)]
      if (place >= shown.length - 1) return undefined
      place += 1
      return shown[place]
    },
    newer() {
      if (place === 0) return undefined
      place -= 1
      return shown[place]
    },
  }
}

/** The newest first, each once. */
const matching = (entries: readonly string[], begun: string): string[] => [
  ...new Set(entries.toReversed().filter((each) => each !== begun && each.startsWith(begun))),
]

/** One JSON text per line; lines that are no text are left out. */
const readEntries = (path: string): string[] => {
  try {
    const lines = (readPrivate(path)?.toString('utf8') ?? '').split('\n').filter(Boolean)
    const entries = lines.flatMap(entryOf)
    if (lines.length <= 2 * maxEntries) return entries
    const kept = entries.slice(-maxEntries)
    writePrivate(path, kept.map((each) => `${JSON.stringify(each)}\n`).join(''))
    return kept
  } catch {
    return []
  }
}

const entryOf = (line: string): string[] => {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'string' ? [value] : []
  } catch {
    return []
  }
}

const appendEntry = (path: string, text: string): void => {
  try {
    appendFileSync(path, `${JSON.stringify(text)}\n`, { mode: 0o600 })
  } catch {
    // The chat goes on without it.
  }
}

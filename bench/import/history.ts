import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type GeneratedSession,
  nothingServed,
  type Served,
  type SessionOptions,
  SessionWriter,
} from './claude-session.ts'
import { createHistoryText, type HistoryText } from './history-text.ts'

export interface HistoryOptions {
  /** Claude Code’s directory: the files go below `projects`. */
  directory: string
  /** About how much is written. */
  bytes: number
  seed?: number
  /** Long conversations, without what the agent writes for itself. */
  onlyMessages?: boolean
}

/** What was written. */
export interface History {
  bytes: number
  files: number
  sessions: number
  /** What the model has served for all of them: that is what has to be counted. */
  served: Served
}

const began = Date.parse('2026-09-01T00:00:00Z')
/** Of so many sessions, the latest may be copied. */
const recent = 50

/** Writes a history with resumed sessions, forks, branches, moved copies and subagents. */
export const writeHistory = (options: HistoryOptions): History => {
  const { directory, bytes, seed = 7, onlyMessages = false } = options
  const text = createHistoryText(seed, began)
  const history: History = { bytes: 0, files: 0, sessions: 0, served: nothingServed() }
  const originals: { session: GeneratedSession; cwd: string }[] = []
  const put = (path: string, lines: readonly string[]): void => {
    const content = `${lines.join('\n')}\n`
    writeFileSync(path, content)
    const at = new Date(text.time())
    utimesSync(path, at, at)
    history.files += 1
    history.bytes += Buffer.byteLength(content)
  }
  const store = (session: GeneratedSession, cwd: string): void => {
    const folder = join(directory, 'projects', cwd.replaceAll(/[^a-z0-9]/gi, '-'))
    const parts = join(folder, session.id, 'subagents')
    mkdirSync(session.subagents.size > 0 ? parts : folder, { recursive: true })
    for (const [name, lines] of session.subagents) put(join(parts, name), lines)
    put(join(folder, `${session.id}.jsonl`), session.lines)
    history.sessions += 1
  }
  while (history.bytes < bytes) {
    const cwd = `/home/dev/project-${text.between(1, 20)}`
    const own: SessionOptions = {
      ...{ text, id: text.uuid(), cwd, onlyMessages, served: history.served },
    }
    const kind = text.between(1, 100)
    const original = kind <= 8 ? originals[text.between(0, originals.length - 1)] : undefined
    if (!original) {
      const session = writeSession(own)
      store(session, cwd)
      if (originals.length >= recent) originals.shift()
      originals.push({ session, cwd })
    } else {
      const copy = new SessionWriter({ ...own, cwd: original.cwd })
      copy.copy(original.session, kind <= 3)
      copy.turn(text.between(0, 2), false)
      copy.exit()
      store(copy.session, original.cwd)
    }
  }
  return history
}

const writeSession = (options: SessionOptions): GeneratedSession => {
  const { text, onlyMessages } = options
  const writer = new SessionWriter(options)
  writer.prelude()
  const turns = onlyMessages ? text.between(3, 40) : turnsOf(text)
  for (let left = turns; left > 0; left -= 1) {
    const steps = onlyMessages ? text.between(0, 6) : text.between(0, 1)
    writer.turn(steps, text.chance(0.05))
    // It is left and resumed.
    if (left > 1 && text.chance(0.2)) writer.exit()
  }
  writer.exit()
  return writer.session
}

/** Most conversations are short. */
const turnsOf = (text: HistoryText): number =>
  text.chance(0.8) ? text.between(1, 2) : text.between(3, 6)

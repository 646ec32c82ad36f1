import { type FSWatcher, watch } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { knownAgent } from '../agents/known-agents.ts'
import type { Presence } from '../events/types.ts'
import { createClaudePresence } from './claude-presence.ts'
import { createCodexPresence } from './codex-presence.ts'
import { createCopilotPresence } from './copilot-presence.ts'
import type {
  PresenceOptions,
  PresenceQuery,
  PresenceReader,
  PresenceRegistry,
} from './presence.ts'
import { createReportedPresence } from './reported-presence.ts'
import { createUnmarkedPresence } from './unmarked-presence.ts'

interface Followed {
  readonly query: PresenceQuery
  readonly onChange: (presence: Presence) => void
  /** The last presence, as JSON. */
  last: string | undefined
}

/** Creates the registry. It watches nothing until a session is followed. */
export const createPresenceRegistry = ({
  env = process.env,
  pollMs = 3000,
}: PresenceOptions = {}): PresenceRegistry => {
  const readers = createReaders(env)
  const reported = createReportedPresence()
  const followed = new Set<Followed>()
  const watches = createWatches(() => void refresh())
  let isClosed = false
  let timer: NodeJS.Timeout | undefined
  let reading: Promise<void> | undefined
  let isStale = false

  const find = async (query: PresenceQuery): Promise<Presence> => {
    const found = (await readers(query.agent)?.find(query)) ?? { state: 'unknown' }
    return reported.merge(query, found)
  }

  const update = async (each: Followed): Promise<void> => {
    const presence = await find(each.query)
    const text = JSON.stringify(presence)
    if (isClosed || text === each.last || !followed.has(each)) return
    each.last = text
    each.onChange(presence)
  }

  /** Reads everything once more. While it reads, further calls lead to one more reading. */
  const refresh = async (): Promise<void> => {
    isStale = true
    reading ??= (async () => {
      while (isStale && !isClosed) {
        isStale = false
        for (const each of followed) await update(each)
      }
      reading = undefined
    })()
    await reading
  }

  const poll = () => {
    timer ??= setInterval(() => void refresh(), pollMs).unref()
  }

  return {
    find,
    follow(query, onChange) {
      const each: Followed = { query, onChange, last: undefined }
      followed.add(each)
      watches.add(readers(query.agent)?.directory)
      poll()
      void update(each)
      return () => {
        followed.delete(each)
        if (followed.size > 0) return
        clearInterval(timer)
        timer = undefined
        watches.close()
      }
    },
    report(session, presence) {
      reported.note(session, presence)
      if (followed.size > 0) void refresh()
    },
    close() {
      isClosed = true
      followed.clear()
      clearInterval(timer)
      watches.close()
    },
  }
}

/** The reader of each agent, created when it is needed. */
const createReaders = (env: NodeJS.ProcessEnv) => {
  const created = new Map<string, PresenceReader>()
  const home = env.HOME ?? homedir()
  const create = (name: string): PresenceReader | undefined => {
    const agent = knownAgent(name)
    if (!agent) return undefined
    const unmarked = createUnmarkedPresence(agent)
    switch (name) {
      case 'claude':
        return createClaudePresence(env.CLAUDE_CONFIG_DIR || join(home, '.claude'), unmarked)
      case 'codex':
        return createCodexPresence(env.CODEX_HOME || join(home, '.codex'), unmarked)
      case 'copilot':
        return createCopilotPresence(env.COPILOT_HOME || join(home, '.copilot'))
      default:
        return unmarked
    }
  }
  return (name: string): PresenceReader | undefined => {
    const reader = created.get(name) ?? create(name)
    if (reader) created.set(name, reader)
    return reader
  }
}

/** Watches on directories. One that does not exist yet is tried again when a session is followed. */
const createWatches = (onChange: () => void) => {
  const watchers = new Map<string, FSWatcher>()
  const remove = (directory: string) => {
    watchers.get(directory)?.close()
    watchers.delete(directory)
  }
  return {
    add(directory: string | undefined) {
      if (directory === undefined || watchers.has(directory)) return
      try {
        const watcher = watch(directory, { persistent: false }, onChange)
        watcher.on('error', () => remove(directory))
        watchers.set(directory, watcher)
      } catch {
        // The poll sees what a watch would have seen.
      }
    },
    close() {
      for (const directory of [...watchers.keys()]) remove(directory)
    },
  }
}

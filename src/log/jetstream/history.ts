import { randomUUID } from 'node:crypto'
import { LogFault, unknownSession } from '../log-fault.ts'
import { type HistoryStore, type StoredHistory, storedHistory } from '../stored-history.ts'
import type { JetStreamContext } from './context.ts'
import { recordKeys } from './record-keys.ts'

/** The store, with what only the log calls. */
export interface OwnedHistoryStore extends HistoryStore {
  /** Deletes everything of a session. */
  removeOf(sessionId: string): Promise<void>
}

/** Conversations as objects, and a record for each session that names them. */
export const createHistoryStore = ({
  documents,
  objects,
  ensureOpen,
  requireSession,
}: Pick<
  JetStreamContext,
  'documents' | 'objects' | 'ensureOpen' | 'requireSession'
>): OwnedHistoryStore => {
  const change = async (
    sessionId: string,
    changed: (stored: StoredHistory | undefined) => StoredHistory | undefined,
  ): Promise<StoredHistory | undefined> => {
    ensureOpen()
    const document = await documents.change(recordKeys.history(sessionId), (text) => {
      const stored = readHistory(text)
      const next = changed(stored)
      return next === stored ? text : next && JSON.stringify(next)
    })
    return readHistory(document?.text)
  }

  const removeObject = async (sessionId: string, name: string): Promise<void> => {
    if (name.startsWith(prefixOf(sessionId))) await objects.remove(name)
  }

  return {
    async get(sessionId) {
      ensureOpen()
      return readHistory((await documents.get(recordKeys.history(sessionId)))?.text)
    },
    begin: (sessionId, term) =>
      change(sessionId, (stored) => {
        requireTerm(sessionId, stored, term)
        // Also where nothing is stored: a former owner could be about to store its first state.
        if (!stored) return nothing(term)
        return stored.term < term ? { ...stored, term } : stored
      }),
    async put(sessionId, history) {
      await change(sessionId, (stored) => {
        requireTerm(sessionId, stored, history.term)
        // Of a session that was deleted, nothing would delete it.
        requireSession(sessionId)
        // Files are noted before they are stored: without a note, another node has deleted the session.
        if (!stored && history.files.length > 0) throw unknownSession(sessionId)
        return history
      })
    },
    nameObject: (sessionId) => `${prefixOf(sessionId)}${randomUUID()}`,
    putObject: (name, bytes) => objects.put(name, bytes),
    async getObject(name, maxBytes) {
      ensureOpen()
      return objects.get(name, maxBytes)
    },
    removeObject,
    async removeOf(sessionId) {
      const key = recordKeys.history(sessionId)
      const stored = readHistory((await documents.get(key))?.text)
      for (const name of stored ? namesIn(stored) : []) await removeObject(sessionId, name)
      await documents.change(key, () => undefined)
    },
  }
}

const nothing = (term: number): StoredHistory => ({
  ...{ term, node: '', agent: '', nativeId: '', cwd: '', storedAt: 0 },
  ...{ state: 'whole', bytes: 0, files: [], unused: [] },
})

const prefixOf = (sessionId: string): string => `history:${sessionId}:`

const namesIn = ({ files, unused }: StoredHistory): string[] => [
  ...new Set([...files.flatMap(({ pieces }) => pieces.map(({ object }) => object)), ...unused]),
]

const requireTerm = (sessionId: string, stored: StoredHistory | undefined, term: number): void => {
  if (stored && stored.term > term)
    throw new LogFault('fenced', `Another node has session ${sessionId} now.`)
}

/** What cannot be read, such as the record of a newer version, counts as nothing. */
const readHistory = (text: string | undefined): StoredHistory | undefined => {
  if (text === undefined) return undefined
  try {
    return storedHistory.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

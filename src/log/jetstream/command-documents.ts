import { commandExists, LogFault } from '../log-fault.ts'
import type { CommandReceipt, CommandRecord } from '../types.ts'
import type { JetStreamContext } from './context.ts'
import { unreadableRecord } from './documents.ts'
import { recordKeys } from './record-keys.ts'

/** The commands of a session, as they are stored: one record, so that a change of several is one write. */
export interface StoredCommands {
  open: CommandRecord[]
  receipts: StoredReceipt[]
}

export interface StoredReceipt extends CommandReceipt {
  key: string
  createdAt: number
}

/** The records that hold commands. */
export interface CommandDocuments {
  /** Throws `damaged`. */
  of(sessionId: string): Promise<StoredCommands>
  /** The open commands; none if the record cannot be read: that concerns its own session only. */
  openOf(sessionId: string): Promise<readonly CommandRecord[]>
  change(sessionId: string, change: (before: StoredCommands) => StoredCommands): Promise<void>
  /** Changes the open commands among these ids, session by session. */
  changeOpen(
    ids: readonly string[],
    change: (before: StoredCommands, ids: ReadonlySet<string>) => StoredCommands,
  ): Promise<void>
  /** The session of an open command. */
  sessionOf(id: string): Promise<string | undefined>
  noteOpen(id: string, sessionId: string): void
  noteClosed(ids: readonly string[]): void
  /** The session that has used a key. */
  keyOwner(key: string): Promise<string | undefined>
  /** Takes a key for a session. A key whose command was never stored can be taken again. */
  takeKey(command: CommandRecord): Promise<void>
  freeKeys(keys: Iterable<string>): Promise<void>
  removeOf(sessionId: string): Promise<void>
}

const noCommands: StoredCommands = { open: [], receipts: [] }

const storedIn = (key: string, text: string | undefined): StoredCommands => {
  if (text === undefined) return noCommands
  const { open, receipts }: Partial<StoredCommands> = JSON.parse(text)
  if (!Array.isArray(open) || !Array.isArray(receipts)) throw unreadableRecord(key)
  return { open, receipts }
}

export const createCommandDocuments = (
  { documents, writer, ensureOpen }: JetStreamContext,
  sessionIds: () => readonly string[],
): CommandDocuments => {
  /** The session of each open command that was seen here. */
  const sessions = new Map<string, string>()
  const of = async (sessionId: string): Promise<StoredCommands> => {
    ensureOpen()
    const key = recordKeys.commands(sessionId)
    return storedIn(key, (await documents.get(key))?.text)
  }
  const openOf: CommandDocuments['openOf'] = async (sessionId) => {
    const { open } = await of(sessionId).catch((cause: unknown) => {
      if (cause instanceof LogFault && cause.code === 'damaged') return noCommands
      throw cause
    })
    return open
  }
  const change: CommandDocuments['change'] = async (sessionId, changed) => {
    const key = recordKeys.commands(sessionId)
    await documents.change(key, (text) => JSON.stringify(changed(storedIn(key, text))))
  }
  const sessionOf = async (id: string): Promise<string | undefined> => {
    if (!sessions.has(id))
      for (const sessionId of sessionIds())
        for (const command of await openOf(sessionId)) sessions.set(command.id, sessionId)
    return sessions.get(id)
  }
  const freeKeys = async (keys: Iterable<string>): Promise<void> => {
    for (const key of keys) await documents.change(recordKeys.commandKey(key), () => undefined)
  }

  return {
    ...{ of, openOf },
    change,
    sessionOf,
    freeKeys,
    noteOpen: (id, sessionId) => void sessions.set(id, sessionId),
    noteClosed(ids) {
      for (const id of ids) sessions.delete(id)
    },
    async changeOpen(ids, changed) {
      ensureOpen()
      const bySession = new Map<string, Set<string>>()
      for (const id of ids) {
        const sessionId = await sessionOf(id)
        if (sessionId === undefined) continue
        bySession.set(sessionId, (bySession.get(sessionId) ?? new Set()).add(id))
      }
      for (const [sessionId, own] of bySession)
        await change(sessionId, (before) => changed(before, own))
    },
    async keyOwner(key) {
      ensureOpen()
      const owner = await documents.get(recordKeys.commandKey(key))
      return owner && JSON.parse(owner.text)
    },
    async takeKey({ id, sessionId, receipt }) {
      if (!receipt) return
      const key = recordKeys.commandKey(receipt.key)
      const owner = await documents.get(key)
      const receipts = owner ? (await of(JSON.parse(owner.text))).receipts : []
      if (receipts.some((each) => each.key === receipt.key)) throw commandExists(id)
      await documents.change(key, (text) => {
        if (text !== owner?.text) throw commandExists(id)
        return JSON.stringify(sessionId)
      })
    },
    async removeOf(sessionId) {
      const { open, receipts } = await of(sessionId)
      await documents.change(recordKeys.commands(sessionId), () => undefined)
      await freeKeys(receipts.map(({ key }) => key))
      for (const { id } of open) sessions.delete(id)
      await writer.change(recordKeys.openCommands(sessionId), () => undefined)
    },
  }
}

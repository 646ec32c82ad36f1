import type { CommandStore } from '../log.ts'
import { commandExists } from '../log-fault.ts'
import { serializeRecord } from '../records.ts'
import type { CommandRecord, CommandState } from '../types.ts'
import type { MemoryContext, MemoryReceipt, MemorySession } from './context.ts'

/** Commands in memory. */
export const createCommandStore = ({
  sessions,
  ensureOpen,
  sessionOf,
}: MemoryContext): CommandStore => {
  const all = (): MemorySession[] => {
    ensureOpen()
    return [...sessions.values()]
  }

  /** Changes the open commands among these, and the receipts of those that have a key. */
  const change = (ids: readonly string[], apply: (open: OpenCommand) => void): void => {
    for (const session of all())
      for (const id of ids) {
        const text = session.commands.get(id)
        if (text !== undefined) apply({ session, record: JSON.parse(text) })
      }
  }

  const setReceipt = ({ session, record }: OpenCommand, state: CommandState): void => {
    const receipt = record.receipt && session.receipts.get(record.receipt.key)
    if (receipt) receipt.state = state
  }

  return {
    async add(record) {
      const session = sessionOf(record.sessionId)
      const text = serializeRecord('command', record)
      const { id, receipt, state, seq, createdAt, sessionId } = record
      for (const each of all())
        if (each.commands.has(id) || (receipt && each.receipts.has(receipt.key)))
          throw commandExists(id)
      session.commands.set(id, text)
      if (receipt)
        session.receipts.set(receipt.key, { sessionId, hash: receipt.hash, seq, state, createdAt })
    },
    async setState(ids, state) {
      change(ids, (open) => {
        open.session.commands.set(open.record.id, JSON.stringify({ ...open.record, state }))
        setReceipt(open, state)
      })
    },
    async setText(id, text) {
      change([id], ({ session, record }) =>
        session.commands.set(id, serializeRecord('command', { ...record, text })),
      )
    },
    async close(ids, outcome) {
      change(ids, (open) => {
        setReceipt(open, outcome)
        open.session.commands.delete(open.record.id)
      })
    },
    async remove(ids) {
      change(ids, ({ session, record: { id, receipt } }) => {
        session.commands.delete(id)
        if (receipt) session.receipts.delete(receipt.key)
      })
    },
    async list(sessionId) {
      ensureOpen()
      const texts = [...(sessions.get(sessionId)?.commands.values() ?? [])]
      return texts.map((text) => JSON.parse(text))
    },
    async openSessions() {
      ensureOpen()
      return [...sessions].filter(([, { commands }]) => commands.size > 0).map(([id]) => id)
    },
    async receipt(key) {
      const found = all().flatMap(({ receipts }) => receipts.get(key) ?? [])[0]
      if (!found) return undefined
      const { createdAt: _, ...receipt } = found
      return receipt
    },
    async prune(olderThan, keep) {
      const closed = all().flatMap(closedReceipts)
      const newest = closed.sort((left, right) => right.createdAt - left.createdAt)
      newest.forEach(({ session, key, createdAt }, index) => {
        if (createdAt < olderThan || index >= keep) session.receipts.delete(key)
      })
    },
  }
}

interface OpenCommand {
  session: MemorySession
  record: CommandRecord
}

const closedReceipts = (session: MemorySession) =>
  [...session.receipts]
    .filter(([, { state }]) => isClosed(state))
    .map(([key, { createdAt }]: [string, MemoryReceipt]) => ({ session, key, createdAt }))

const isClosed = (state: CommandState): boolean => state !== 'queued' && state !== 'sent'

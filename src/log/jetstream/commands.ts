import type { CommandStore } from '../log.ts'
import { commandExists } from '../log-fault.ts'
import { serializeRecord } from '../records.ts'
import type { CommandRecord, CommandState } from '../types.ts'
import {
  type CommandDocuments,
  createCommandDocuments,
  type StoredReceipt,
} from './command-documents.ts'
import type { JetStreamContext } from './context.ts'
import { recordKeys } from './record-keys.ts'

/** The commands, with what only the log calls. */
export interface OwnedCommandStore extends CommandStore {
  /** Deletes the commands and receipts of a session. */
  removeOf(sessionId: string): Promise<void>
}

/**
 * Commands in the bucket. A record in the index says which sessions may have commands: `sessionIds`.
 * Another record per key says which session has used the key, so that no two sessions use the same.
 */
export const createCommandStore = (
  context: JetStreamContext,
  sessionIds: () => readonly string[],
): OwnedCommandStore => {
  const { writer, ensureOpen, requireSession } = context
  const stored = createCommandDocuments(context, sessionIds)
  /** Commands are added one after the other: their order is the order of the calls. */
  let adding: Promise<unknown> = Promise.resolve()
  const addInTurn = async (record: CommandRecord): Promise<void> => {
    const { id, sessionId } = record
    requireSession(sessionId)
    if ((await stored.sessionOf(id)) !== undefined) throw commandExists(id)
    await stored.takeKey(record)
    await writer.change(recordKeys.openCommands(sessionId), () => '{}')
    await stored.change(sessionId, ({ open, receipts }) => ({
      open: [...open, record],
      receipts: [...receipts, ...receiptOf(record)],
    }))
    stored.noteOpen(id, sessionId)
  }

  return {
    async add(given) {
      ensureOpen()
      const record = validCommand(given)
      const added = adding.then(() => addInTurn(record))
      adding = added.catch(() => {})
      await added
    },
    setState: (ids, state) =>
      stored.changeOpen(ids, ({ open, receipts }, own) => ({
        open: open.map((each) => (own.has(each.id) ? { ...each, state } : each)),
        receipts: withState(receipts, keysOf(open, own), state),
      })),
    setText: (id, text) =>
      stored.changeOpen([id], ({ open, receipts }) => ({
        open: open.map((each) => (each.id === id ? validCommand({ ...each, text }) : each)),
        receipts,
      })),
    async close(ids, outcome) {
      await stored.changeOpen(ids, ({ open, receipts }, own) => ({
        open: open.filter((each) => !own.has(each.id)),
        receipts: withState(receipts, keysOf(open, own), outcome),
      }))
      stored.noteClosed(ids)
    },
    async remove(ids) {
      const freed = new Set<string>()
      await stored.changeOpen(ids, ({ open, receipts }, own) => {
        for (const key of keysOf(open, own)) freed.add(key)
        return {
          open: open.filter((each) => !own.has(each.id)),
          receipts: receipts.filter(({ key }) => !freed.has(key)),
        }
      })
      stored.noteClosed(ids)
      await stored.freeKeys(freed)
    },
    list: async (sessionId) => (await stored.of(sessionId)).open,
    async openSessions() {
      ensureOpen()
      const all = await Promise.all(
        sessionIds().map(async (id) => ({ id, open: await stored.openOf(id) })),
      )
      return all.filter(({ open }) => open.length > 0).map(({ id }) => id)
    },
    async receipt(key) {
      const owner = await stored.keyOwner(key)
      const receipts = owner === undefined ? [] : (await stored.of(owner)).receipts
      const found = receipts.find((each) => each.key === key)
      if (!found) return undefined
      const { key: _, createdAt: __, ...receipt } = found
      return receipt
    },
    async prune(olderThan, keep) {
      ensureOpen()
      await prune(stored, sessionIds(), olderThan, keep)
    },
    removeOf: stored.removeOf,
  }
}

/** Deletes receipts of closed commands: the older ones, and all but the last `keep`. */
const prune = async (
  stored: CommandDocuments,
  sessionIds: readonly string[],
  olderThan: number,
  keep: number,
): Promise<void> => {
  const all = await Promise.all(sessionIds.map(async (id) => (await stored.of(id)).receipts))
  const old = all
    .flat()
    .filter(({ state }) => state !== 'queued' && state !== 'sent')
    .sort((left, right) => right.createdAt - left.createdAt)
    .filter(({ createdAt }, index) => createdAt < olderThan || index >= keep)
  for (const sessionId of sessionIds) {
    const own = old.filter((receipt) => receipt.sessionId === sessionId)
    const keys = new Set(own.map(({ key }) => key))
    if (keys.size === 0) continue
    await stored.change(sessionId, ({ open, receipts }) => ({
      open,
      receipts: receipts.filter(({ key }) => !keys.has(key)),
    }))
    await stored.freeKeys(keys)
  }
}

/** A copy of a command. Throws `invalid_record`. */
const validCommand = (record: CommandRecord): CommandRecord =>
  JSON.parse(serializeRecord('command', record))

const receiptOf = ({
  receipt,
  sessionId,
  seq,
  state,
  createdAt,
}: CommandRecord): StoredReceipt[] =>
  receipt ? [{ key: receipt.key, hash: receipt.hash, sessionId, seq, state, createdAt }] : []

const keysOf = (open: readonly CommandRecord[], ids: ReadonlySet<string>): Set<string> =>
  new Set(open.flatMap(({ id, receipt }) => (ids.has(id) && receipt ? [receipt.key] : [])))

const withState = (
  receipts: readonly StoredReceipt[],
  keys: ReadonlySet<string>,
  state: CommandState,
): StoredReceipt[] => receipts.map((each) => (keys.has(each.key) ? { ...each, state } : each))

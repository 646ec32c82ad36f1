import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Objm } from '@nats-io/obj'
import { onTestFinished } from 'vitest'
import { historyLayouts } from '../../src/history/layouts.ts'
import { type RestoreOutcome, restoreConversation } from '../../src/history/restore-conversation.ts'
import {
  type KnownHistory,
  type StoreOutcome,
  storeConversation,
} from '../../src/history/store-conversation.ts'
import { type JetStreamLog, openJetStreamLog } from '../../src/log/jetstream/jetstream-log.ts'
import type { StoredHistory } from '../../src/log/stored-history.ts'
import { session } from '../log/samples.ts'
import type { NatsCluster } from '../support/nats-server.ts'

const { claude: layout } = historyLayouts
if (!layout) throw new Error('There is no layout for Claude Code.')

export const nativeId = '0e6b4a52-2c6e-4f0e-9d55-6f3d8f2f4a11'
export const mainPath = `-work/${nativeId}.jsonl`
export const sidePath = `-work/${nativeId}/subagents/agent-a1.jsonl`
export const sessionId = 's1'
export const line = (text: string): string => `${JSON.stringify({ text })}\n`

export const temporaryDirectory = (): string => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-history-')))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }))
  return directory
}

/** A session of Claude Code, and the directory of its agent on two nodes. */
export interface StoreRig {
  readonly log: JetStreamLog
  readonly one: string
  readonly two: string
  readonly known: KnownHistory
  write(root: string, path: string, content: string): void
  read(root: string, path: string): string
  /** Stores the conversation of node one. */
  store(options?: { term?: number; maxBytes?: number }): Promise<StoreOutcome>
  /** What is stored. Throws when there is nothing. */
  stored(): Promise<StoredHistory>
  /** Restores at node two what is stored, with changes. */
  restore(options?: {
    changed?: Partial<StoredHistory>
    isOwn?: boolean
    cwd?: string
  }): Promise<RestoreOutcome>
  /** The names of all objects, and of those that the record of the session names. */
  objectNames(): Promise<string[]>
  namedObjects(): Promise<string[]>
}

const maxBytes = 64 * 1024 * 1024
let tenants = 0

export const createStoreRig = async (nats: NatsCluster): Promise<StoreRig> => {
  tenants += 1
  const tenant = `history${process.pid}-${tenants}`
  const log = await openJetStreamLog(temporaryDirectory(), {
    ...{ servers: nats.urls, tenant, onError: () => {} },
  })
  onTestFinished(() => log.close())
  await log.sessions.create(session(sessionId, { agent: 'claude', nativeId, cwd: '/work' }))
  const one = temporaryDirectory()
  const two = temporaryDirectory()
  const known: KnownHistory = { removed: new Set() }
  const stored = async (): Promise<StoredHistory> => {
    const found = await log.history.get(sessionId)
    if (!found) throw new Error('Nothing is stored.')
    return found
  }
  const owner = { sessionId, layout, nativeId, root: one, cwd: '/work' }
  return {
    ...{ log, one, two, known, stored },
    write(root, path, content) {
      mkdirSync(join(root, dirname(path)), { recursive: true })
      writeFileSync(join(root, path), content)
    },
    read: (root, path) => readFileSync(join(root, path), 'utf8'),
    store: (options = {}) =>
      storeConversation(
        log.history,
        { ...owner, ...{ agent: 'claude', node: 'one', term: 1, maxBytes, ...options } },
        known,
      ),
    restore: async ({ changed = {}, isOwn = false, cwd = '/work' } = {}) =>
      restoreConversation(log.history, {
        ...{ layout, root: two, nativeId, cwd, isOwn, maxBytes },
        ...{ stored: { ...(await stored()), ...changed }, signal: new AbortController().signal },
      }),
    async objectNames() {
      const objects = await new Objm(log.link.client).open(log.names.objectBucket)
      return (await objects.list()).map(({ name }) => name).toSorted()
    },
    async namedObjects() {
      const { files } = await stored()
      return files.flatMap(({ pieces }) => pieces.map(({ object }) => object)).toSorted()
    },
  }
}

import { createDamageCollector } from '../damage.ts'
import type { Log } from '../log.ts'
import { okStatus } from '../log-status.ts'
import { createApprovalStore } from './approvals.ts'
import { createAuditStore } from './audit.ts'
import { createBlobStore } from './blobs.ts'
import { createCommandStore } from './commands.ts'
import { createMemoryContext } from './context.ts'
import { createEventStore } from './events.ts'
import { createKeyStore } from './keys.ts'
import { createLedgerStore } from './ledger.ts'
import { createMovedStore } from './moved.ts'
import { createProjectStore } from './projects.ts'
import { createRecordStore } from './record-store.ts'
import { createSessionStore } from './sessions.ts'
import { createSnapshotStore } from './snapshots.ts'
import { createSpendingStore } from './spending.ts'

/** Opens a log that is lost when the process ends: for tests, and for streams that nobody reads later. */
export const openMemoryLog = async (): Promise<Log> => {
  const context = createMemoryContext()
  return {
    ...createEventStore(context),
    sessions: createSessionStore(context),
    blobs: createBlobStore(context),
    approvals: createApprovalStore(context),
    commands: createCommandStore(context),
    ledger: createLedgerStore(context),
    spending: createSpendingStore(context),
    snapshots: createSnapshotStore(context),
    projects: createProjectStore(context),
    keys: createKeyStore(context),
    audit: createAuditStore(context),
    browsers: createRecordStore(context, 'browser'),
    passkeys: createRecordStore(context, 'passkey'),
    settings: createRecordStore(context, 'setting'),
    trust: createRecordStore(context, 'trust'),
    loops: createRecordStore(context, 'loop'),
    budgets: createRecordStore(context, 'budget'),
    moved: createMovedStore(context),
    damage: createDamageCollector(),
    // Memory is never full: the process would end first.
    status: () => okStatus,
    checkStatus: async () => okStatus,
    onStatus: () => () => {},
    async space() {
      context.ensureOpen()
      return { usedBytes: 0, freeBytes: 0, databaseBytes: 0, walBytes: 0 }
    },
    close: async () => context.close(),
  }
}

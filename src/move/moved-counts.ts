/** What was compared, and is equal in both logs. */
export interface MovedCounts {
  sessions: number
  events: number
  /** The blobs, each counted once per session that has it. */
  blobs: number
  approvals: number
  /** Open messages to agents, and receipts. */
  commands: number
  ledgerRows: number
  snapshots: number
  auditEntries: number
  /** Projects, keys, browsers, passkeys, settings, decisions about directories, loops and budgets. */
  records: number
}

export const noCounts = (): MovedCounts => ({
  ...{ sessions: 0, events: 0, blobs: 0, approvals: 0, commands: 0, ledgerRows: 0 },
  ...{ snapshots: 0, auditEntries: 0, records: 0 },
})

import { idIn, tokenOf } from './subjects.ts'

/**
 * Keys of the bucket. What begins with `i` is in the index of every node. What begins with `d` is read
 * from the bucket when it is needed.
 */
export const recordKeys = {
  session: (id: string) => `i.session.${tokenOf(id)}`,
  approval: (id: string) => `i.approval.${tokenOf(id)}`,
  project: (id: string) => `i.project.${tokenOf(id)}`,
  key: (id: string) => `i.key.${tokenOf(id)}`,
  record: (kind: string, id: string) => `i.${kind}.${tokenOf(id)}`,
  mark: (id: string) => `i.mark.${tokenOf(id)}`,
  spending: (sessionId: string) => `i.spending.${tokenOf(sessionId)}`,
  deletedUsage: (projectId: string) => `i.usage.${tokenOf(projectId)}`,
  openCommands: (sessionId: string) => `i.commands.${tokenOf(sessionId)}`,
  commands: (sessionId: string) => `d.commands.${tokenOf(sessionId)}`,
  commandKey: (key: string) => `d.receipt.${tokenOf(key)}`,
  largeEvents: (sessionId: string) => `d.large.${tokenOf(sessionId)}`,
  ledger: (sessionId: string) => `d.ledger.${tokenOf(sessionId)}`,
  /** Older rows of a ledger. */
  ledgerPage: (sessionId: string, page: number) => `d.ledger.${tokenOf(sessionId)}.${page}`,
  snapshot: (sessionId: string) => `d.snapshot.${tokenOf(sessionId)}`,
  history: (sessionId: string) => `d.history.${tokenOf(sessionId)}`,
  blob: (hash: string) => `d.blob.${tokenOf(hash)}`,
  blobsOf: (sessionId: string) => `d.blobs.${tokenOf(sessionId)}`,
  request: (key: string) => `d.request.${key === '*' ? key : tokenOf(key)}`,
  codes: (group: string) => `d.codes.${tokenOf(group)}`,
  /** Written to see whether the cluster stores anything. */
  probe: 'd.probe',
} as const

/** All keys of the index. */
export const indexedKeys = 'i.>'

/** The kind and the id of a key. */
export const partsOf = (key: string): { kind: string; id: string } => {
  const [, kind = '', token = ''] = key.split('.')
  return { kind, id: idIn(token) }
}

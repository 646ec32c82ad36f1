import type { z } from 'zod'
import { approvalRecord } from './approval-record.ts'
import { keyRecord } from './key-record.ts'
import { ledgerMark, ledgerRow } from './ledger-row.ts'
import { projectRecord } from './project-record.ts'
import { sessionRecord } from './session-record.ts'
import { pack } from './stored.ts'

export { readMark } from './ledger-row.ts'
export { patchSession } from './session-record.ts'

/** Everything that is stored as a record. */
export const schemas = {
  session: sessionRecord,
  approval: approvalRecord,
  project: projectRecord,
  key: keyRecord,
  ledgerRow,
  ledgerMark,
} as const
export type Kind = keyof typeof schemas
export type RecordOf<Of extends Kind> = z.infer<(typeof schemas)[Of]>

/** A record as it is stored; one that is not valid is refused. */
export const packed = (kind: Kind, record: unknown): string => {
  const schema: z.ZodType = schemas[kind]
  return pack(schema, record)
}

import { z } from 'zod'
import { auditEntry } from '../events/audit-entry.ts'
import { ledgerState } from '../events/ledger-state.ts'
import { loopFields } from '../events/loop.ts'
import { originFields, sessionDamage, sessionState } from '../events/session-events.ts'
import { startOptions } from '../events/start-options.ts'
import { storedAgentTitle } from '../events/stored-agent-title.ts'
import {
  approvalAction,
  approvalAnswers,
  approvalFields,
  approvalKind,
  approvalOutcome,
} from '../events/tool-events.ts'
import { tokenCounts, usageProvenance } from '../events/usage.ts'
import { worktreeFields } from '../events/worktree.ts'
import { budgetRecord, sessionBudgetFields } from './budget-record.ts'
import { commandRecord } from './command-record.ts'
import { forkRecordFields } from './fork-record.ts'
import { LogFault } from './log-fault.ts'
import { loopRecord } from './loop-record.ts'
import { passkeyRecord } from './passkey-record.ts'
import type { LedgerCheckpoint, SessionRecord } from './types.ts'

/** By the caller’s clock. */
const time = z.number().int().describe('In ms since 1970.')
const limit = z.number().int().nonnegative()

export const sessionRecord = z
  .strictObject({
    id: z.string().min(1),
    agent: z.string().describe('The name of the agent, such as `pi` or `claude`.'),
    agentTitle: storedAgentTitle.optional(),
    projectId: z.string().optional(),
    cwd: z.string().describe('The directory that the agent works in.'),
    name: z.string().optional().describe('The name that a person gave the session.'),
    title: z
      .string()
      .optional()
      .describe('The first line of the first prompt, shortened. Shown while there is no name.'),
    model: z.string().optional(),
    permissionMode: z
      .string()
      .optional()
      .describe('What the agent may do without approval, in the agent’s own term.'),
    start: startOptions.optional().describe('How the agent starts.'),
    nativeId: z.string().optional().describe('The agent’s own id of the session, to resume it.'),
    state: sessionState,
    createdAt: time,
    updatedAt: time,
    lastActivity: time
      .optional()
      .describe(
        'When a person or the agent last did something in the conversation, in ms since 1970. Absent in records of earlier versions.',
      ),
    leftOut: z
      .array(z.string())
      .optional()
      .describe(
        'Project files that the agent started without, because the directory is not trusted.',
      ),
    creatorId: z.string().optional().describe('The id of the key or browser that created it.'),
    ...loopFields,
    ...worktreeFields,
    ...forkRecordFields,
    pinned: z.boolean().optional().describe('True: retention never deletes the session.'),
    pid: z.number().int().positive().optional().describe('The agent’s process while it runs.'),
    pidStartedAt: z
      .number()
      .optional()
      .describe('When that process started, in the system’s unit: a pid can be reused.'),
    removedAt: time
      .optional()
      .describe('When the session was deleted, in ms since 1970. Its data is still stored.'),
    ...originFields,
    damage: sessionDamage.optional(),
    ...sessionBudgetFields,
  })
  .describe('A session, without its events.')

type RequiredField = 'agent' | 'cwd' | 'state' | 'updatedAt'
type OptionalField = Exclude<keyof SessionRecord, RequiredField | 'id' | 'createdAt'>
/** A change to a session. `null` removes a field, `undefined` leaves it as it is. */
export type SessionPatch = { [Key in RequiredField]?: SessionRecord[Key] | undefined } & {
  [Key in OptionalField]?: SessionRecord[Key] | null
}

export const approvalStatus = z
  .enum(['pending', ...approvalOutcome.options])
  .describe('`pending`, or how the approval was resolved.')

export const approvalRecord = z
  .strictObject({
    ...approvalFields,
    approvalId: z
      .string()
      .min(1)
      .describe('Unique over all sessions, because an answer names nothing else.'),
    // Records of earlier versions have no kind.
    kind: approvalKind.default('tool'),
    sessionId: z.string(),
    parentToolCallId: z
      .string()
      .optional()
      .describe('Id of the tool call that the request was made inside.'),
    createdAt: time,
    status: approvalStatus,
    action: approvalAction.optional(),
    by: z.string().optional().describe('Who decided.'),
    message: z.string().optional().describe('The message to the agent about the decision.'),
    updatedInput: z.unknown().optional().describe('The arguments to run the tool with instead.'),
    optionId: z.string().optional().describe('Id of the option that was chosen.'),
    answers: approvalAnswers.optional(),
    resolvedAt: time.optional(),
  })
  .describe('An approval request, and its decision once there is one.')

export const projectRecord = z
  .strictObject({
    id: z.string().min(1),
    name: z.string().min(1).describe('The name that a person gave the project.'),
    path: z.string().min(1).describe('The absolute path of the directory.'),
    createdAt: time,
  })
  .describe('A directory that sessions work in, with a name.')

export const trustRecord = z
  .strictObject({
    id: z.string().min(1).describe('The real path of the directory.'),
    hash: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .describe('SHA-256 of what agents would load from the directory, in hex.'),
    isTrusted: z.boolean().describe('False: the person chose to start without these files.'),
    by: z.string().describe('Who decided.'),
    at: time,
  })
  .describe('The decision of a person about what agents may load from one directory.')

export const keyRecord = z
  .strictObject({
    id: z.string().min(1),
    name: z.string().min(1).describe('The name that a person gave the key.'),
    hash: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .describe('SHA-256 of the key, in hex.'),
    scopes: z.array(z.string().min(1)).min(1).describe('What the key may be used for.'),
    owner: z.string().min(1).optional().describe('The person or team that the key belongs to.'),
    createdAt: time,
    createdBy: z.string().optional().describe('The name of the key or browser that created it.'),
    parentId: z
      .string()
      .optional()
      .describe('The key that created it. When that one ends, this one ends too.'),
    expiresAt: time.optional().describe('From when on the key is refused, in ms since 1970.'),
    projects: z
      .array(z.string())
      .optional()
      .describe('With `projects` or `sessions`, the key sees only those.'),
    sessions: z
      .array(z.string())
      .optional()
      .describe('With `projects` or `sessions`, the key sees only those.'),
    maxSessions: limit.optional().describe('How many sessions of its own the key may have.'),
    maxStreams: limit.optional().describe('How many streams may be open with the key.'),
    maxDiskBytes: limit.optional().describe('How many bytes its own sessions may fill.'),
    revokedAt: time.optional().describe('From when on the key is refused, in ms since 1970.'),
    lastUsedAt: time
      .optional()
      .describe('When the key was last used, approximately, in ms since 1970.'),
  })
  .describe('An API key. Only its hash is stored, never the key itself.')

const secretHash = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .describe('SHA-256 of a secret, in hex.')

export const browserRecord = z
  .strictObject({
    id: z.string().min(1),
    name: z.string().min(1).describe('What people call the browser: `Firefox on Linux`.'),
    scopes: z.array(z.string().min(1)).min(1).describe('What the browser may be used for.'),
    keyId: z.string().optional().describe('The API key that the browser ends with.'),
    secret: secretHash.describe('SHA-256 of the secret in the cookie, in hex.'),
    page: secretHash.describe('SHA-256 of the page key, in hex.'),
    previous: secretHash
      .optional()
      .describe('The secret before, which is valid until the browser has used the new one.'),
    previousUntil: time.optional().describe('Until when the secret before is valid.'),
    rotatedAt: time.describe('When the secret was replaced, in ms since 1970.'),
    used: z
      .array(secretHash)
      .max(400)
      .describe('Secrets that are no longer valid. A browser that sends one has a copied cookie.'),
    createdAt: time,
    lastUsedAt: time,
    expiresAt: time.describe('When the browser must be paired again, in ms since 1970.'),
    address: z.string().optional().describe('The network address that last used it.'),
  })
  .describe('A paired browser. Only hashes of its secrets are stored.')

export const settingRecord = z
  .strictObject({ id: z.string().min(1), value: z.string() })
  .describe('Something that the server remembers about itself.')

export const ledgerRow = z
  .strictObject({
    sessionId: z.string(),
    key: z
      .string()
      .min(1)
      .describe('What the row counts, such as a message id. A row replaces one of the same key.'),
    timestamp: time,
    model: z.string(),
    tokens: tokenCounts,
    costUsd: z.number().nonnegative().optional().describe('Absent while no amount is known.'),
    provenance: usageProvenance,
    period: z
      .number()
      .int()
      .nonnegative()
      .optional()
      .describe('How many usage reports and processes of the agent came before the row.'),
    priceList: z
      .string()
      .optional()
      .describe('The price list of a computed cost: name, version and date.'),
    unreported: z
      .literal(true)
      .optional()
      .describe('The process ended before it reported the cost of the call.'),
  })
  .describe('What one model call, compaction or report added to the usage of a session.')

export const ledgerCheckpoint = z
  .strictObject({
    seq: z.number().int().nonnegative().describe('The last event that the rows include.'),
    state: ledgerState,
  })
  .describe('A ledger as of one event: recovery reads only the events after it.')

const schemas = {
  session: sessionRecord,
  approval: approvalRecord,
  command: commandRecord,
  project: projectRecord,
  key: keyRecord,
  browser: browserRecord,
  passkey: passkeyRecord,
  setting: settingRecord,
  trust: trustRecord,
  loop: loopRecord,
  budget: budgetRecord,
  audit: auditEntry.omit({ id: true }),
  ledgerRow,
  ledgerCheckpoint,
} as const
export type RecordKind = keyof typeof schemas
export type RecordOf<Kind extends RecordKind> = z.infer<(typeof schemas)[Kind]>

/** The JSON of a record. Throws `invalid_record` when the record does not match its schema. */
export const serializeRecord = <Kind extends RecordKind>(
  kind: Kind,
  record: RecordOf<Kind>,
): string => {
  const schema: z.ZodType = schemas[kind]
  return JSON.stringify(validate(schema, kind, record))
}

/** Applies a patch to a session. Throws `invalid_record` when the result is not a valid session. */
export const patchSession = (record: SessionRecord, patch: SessionPatch): SessionRecord => {
  const changes = Object.entries(patch).filter(([, value]) => value !== undefined)
  const fields = Object.entries({ ...record, ...Object.fromEntries(changes) })
  const patched = Object.fromEntries(fields.filter(([, value]) => value !== null))
  return validate(sessionRecord, 'session', patched)
}

/** Parses a stored checkpoint. Undefined when an older version wrote it in another form. */
export const parseLedgerCheckpoint = (text: string): LedgerCheckpoint | undefined =>
  ledgerCheckpoint.safeParse(JSON.parse(text)).data

/** What does not match the schema of a stored record, for people; undefined when everything does. */
export const recordProblem = (kind: RecordKind, record: unknown): string | undefined => {
  const schema: z.ZodType = schemas[kind]
  const { error } = schema.safeParse(record)
  return error && `It does not match its schema: ${z.prettifyError(error)}`
}

const validate = <Schema extends z.ZodType>(
  schema: Schema,
  kind: RecordKind,
  record: unknown,
): z.infer<Schema> => {
  const { success, data, error } = schema.safeParse(record)
  if (success) return data
  const message = `The ${kind} record is not valid: ${z.prettifyError(error)}`
  throw new LogFault('invalid_record', message, { cause: error })
}

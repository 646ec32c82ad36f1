import type { Actor, AuditAction } from '../events/types.ts'
import { shortened } from '../shared/shortened.ts'
import type { AuditStore, NewAuditEntry } from './audit-store.ts'

/**
 * Records what somebody did. It neither waits nor throws: nothing that was done fails because its
 * entry could not be stored.
 */
export type RecordAction = (done: ActionDone) => void

/** Something that somebody did. */
export interface ActionDone {
  action: AuditAction
  /** Default: this program. */
  by?: Actor | undefined
  sessionId?: string | undefined
  projectId?: string | undefined
  /** Cut to 200 characters. */
  detail?: string | undefined
}

export interface AuditorOptions {
  audit: Pick<AuditStore, 'append'>
  /** Who did what nobody else is named for. */
  program: Actor
  now(): number
  /** Receives the errors of entries that could not be stored. */
  onError(cause: unknown): void
}

/** The command line on this machine. */
export const terminalActor: Actor = { kind: 'local', id: 'terminal', name: 'terminal' }

/** This process, where no name was given to it. */
export const thisProgram: Actor = { kind: 'local', id: 'program', name: 'program' }

const detailLength = 200
/** Failed sign-ins cost an attacker nothing, so only this many are recorded in a minute. */
const failuresPerMinute = 20

export const createAuditor = ({ audit, program, now, onError }: AuditorOptions): RecordAction => {
  let minute = 0
  let failures = 0

  const isFlood = (action: AuditAction, at: number): boolean => {
    if (action !== 'sign_in_failed') return false
    const current = Math.floor(at / 60_000)
    if (current !== minute) failures = 0
    minute = current
    failures += 1
    return failures > failuresPerMinute
  }

  return (done) => {
    const at = now()
    if (isFlood(done.action, at)) return
    audit.append(auditEntryOf(done, at, program)).catch(onError)
  }
}

/** The entry of something that somebody did. */
export const auditEntryOf = (
  done: ActionDone,
  at: number,
  program: Actor = thisProgram,
): NewAuditEntry => {
  const { action, by = program, sessionId, projectId, detail = '' } = done
  return {
    at,
    action,
    by: by.name,
    actorKind: by.kind,
    actorId: by.id,
    ...(by.address !== undefined && { address: by.address }),
    ...(sessionId !== undefined && { sessionId }),
    ...(projectId !== undefined && { projectId }),
    ...(detail !== '' && { detail: shortened(detail, detailLength) }),
  }
}

import { auditAction } from '../events/audit-entry.ts'
import type { AuditAction, AuditEntry } from '../events/types.ts'
import { Fault } from '../shared/fault.ts'
import { plainLine } from './clean-text.ts'
import { exitCodes } from './exit.ts'
import { sessionIdOf } from './find-session.ts'
import { withAdmin } from './open-admin.ts'
import type { Terminal } from './terminal.ts'

export interface AuditOptions {
  data: string
  json: boolean
  session?: string
  actor?: string
  action?: string
  limit: number
}

/** The most entries of one request. */
const pageSize = 500

/** `sluice audit`: who did what, the newest last, as in a log. */
export const listAudit = async (
  { data, json, session, limit, actor, action }: AuditOptions,
  terminal: Terminal,
): Promise<number> => {
  const filter = {
    ...(session !== undefined && { sessionId: await sessionIdOf(data, session) }),
    ...(actor !== undefined && { actor }),
    ...(action !== undefined && { action: actionIn(action) }),
  }
  const entries = await withAdmin(data, async (admin) => {
    const found: AuditEntry[] = []
    let before: number | undefined
    do {
      const size = Math.min(pageSize, limit - found.length)
      const page = await admin.listAudit({
        ...filter,
        limit: size,
        ...(before !== undefined && { before }),
      })
      found.push(...page.entries)
      before = page.next
    } while (before !== undefined && found.length < limit)
    return found.reverse()
  })
  if (entries.length === 0 && !json)
    terminal.write(
      Object.keys(filter).length > 0 ? 'No entry matches.\n' : 'Nothing was done yet.\n',
    )
  for (const each of entries)
    if (json) terminal.writeJson(each)
    else terminal.write(lineOf(each))
  await terminal.flush()
  return exitCodes.done
}

const actionIn = (text: string): AuditAction => {
  const { data } = auditAction.safeParse(text)
  if (data) return data
  throw new Fault(
    'usage',
    `“${text}” is not an action. Choose from ${auditAction.options.join(', ')}.`,
  )
}

const lineOf = (entry: AuditEntry): string => {
  const { at, action, by, actorKind, address, node, sessionId, detail } = entry
  const from = [actorKind, address, node && `on ${node}`].filter((each) => each !== undefined)
  const who = `${by} (${from.join(', ')})`
  const parts = [secondOf(at), action.padEnd(16), who.padEnd(36), sessionId, detail]
  return `${plainLine(parts.filter((each) => each !== undefined).join('  ')).trimEnd()}\n`
}

/** Local time: 2026-01-31 09:05:06. */
const secondOf = (time: number): string => new Date(time).toLocaleString('sv-SE')

import { randomUUID } from 'node:crypto'
import { basename } from 'node:path'
import type { ApiKey, AuditPage, AuditQuery, CreatedKey, NewKey, Project } from '../api/types.ts'
import { createAuth } from '../auth/auth.ts'
import { ApiError } from '../client/api-error.ts'
import type { Client } from '../client/client.ts'
import { listAuditPage } from '../log/audit-page.ts'
import { createAuditor, terminalActor } from '../log/auditor.ts'
import type { Log } from '../log/log.ts'
import { LogFault } from '../log/log-fault.ts'
import { openSqliteLog } from '../log/sqlite/sqlite-log.ts'
import { Fault } from '../shared/fault.ts'
import { Problem } from '../shared/problem.ts'
import { connectToServer } from './connect-to-server.ts'

/** What the command line manages in a data directory. Errors are faults that it can print. */
export interface Admin {
  createKey(key: NewKey): Promise<CreatedKey>
  listKeys(): Promise<ApiKey[]>
  revokeKey(id: string): Promise<void>
  listProjects(): Promise<Project[]>
  /** Makes a directory a project. */
  createProject(path: string): Promise<Project>
  /** Pins a session, so that retention never deletes it, or unpins it. */
  setPinned(id: string, pinned: boolean): Promise<void>
  /** A page of the audit, newest first. */
  listAudit(query: AuditQuery): Promise<AuditPage>
  close(): Promise<void>
}

/** Runs `use` on a data directory: directly, or through the server that has it open. */
export const withAdmin = async <Result>(
  directory: string,
  use: (admin: Admin) => Promise<Result>,
): Promise<Result> => {
  const admin = await openAdmin(directory)
  try {
    return await asFault(use(admin))
  } finally {
    await admin.close()
  }
}

const openAdmin = async (directory: string): Promise<Admin> => {
  try {
    return localAdmin(await openSqliteLog(directory))
  } catch (cause) {
    if (!(cause instanceof LogFault)) throw cause
    const client = cause.code === 'locked' ? connectToServer(directory) : undefined
    if (client) return remoteAdmin(client)
    const hint = cause.code === 'locked' ? ' It is not a Sluice server; stop it first.' : ''
    throw new Fault('data_not_opened', `${cause.message}${hint}`, { cause })
  }
}

const localAdmin = (log: Log): Admin => {
  const recordAction = createAuditor({
    audit: log.audit,
    program: terminalActor,
    now: Date.now,
    onError(cause) {
      throw cause
    },
  })
  // No browser comes here, so the id of the server does not matter.
  const { keys } = createAuth({ ...log, serverId: 'terminal', recordAction })
  return {
    createKey: (key) => keys.create(key),
    listKeys: keys.list,
    revokeKey: (id) => keys.revoke(id),
    listProjects: log.projects.list,
    async createProject(path) {
      const project = { id: randomUUID(), name: basename(path), path, createdAt: Date.now() }
      await log.projects.create(project)
      recordAction({ action: 'project_created', projectId: project.id, detail: path })
      return project
    },
    async setPinned(id, pinned) {
      if (!(await log.sessions.get(id))) throw new Fault('usage', `There is no session ${id}.`)
      await log.sessions.update(id, { pinned: pinned || null, updatedAt: Date.now() })
      recordAction({ action: pinned ? 'session_pinned' : 'session_unpinned', sessionId: id })
    },
    listAudit: (query) => listAuditPage(log.audit, query),
    close: () => log.close(),
  }
}

const remoteAdmin = ({ keys, projects, sessions, audit }: Client): Admin => ({
  createKey: (key) => keys.create(key),
  listKeys: () => keys.list(),
  revokeKey: (id) => keys.revoke(id),
  listProjects: () => projects.list(),
  createProject: (path) => projects.create({ path, name: basename(path) }),
  async setPinned(id, pinned) {
    await sessions.update(id, { pinned })
  },
  listAudit: (query) => audit.list(query),
  close: async () => {},
})

/** Turns errors of the server into faults that the terminal can print. */
export const asFault = async <Result>(result: Promise<Result>): Promise<Result> => {
  try {
    return await result
  } catch (cause) {
    if (cause instanceof Problem) throw new Fault('usage', cause.message, { cause })
    if (cause instanceof ApiError) throw faultOf(cause)
    throw cause
  }
}

/** The fault for an error of a server, or for a server that was not reached. */
export const faultOf = (cause: ApiError): Fault =>
  new Fault(cause.status === 0 ? 'not_listening' : 'usage', cause.detail, { cause })

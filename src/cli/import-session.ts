import { createReadStream, statSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { sessionName } from '../api/session-name.ts'
import { importBundle } from '../bundle/import-bundle.ts'
import { BundleError } from '../bundle/read-bundle.ts'
import { createAuditor, terminalActor } from '../log/auditor.ts'
import { LogFault } from '../log/log-fault.ts'
import { openSqliteLog } from '../log/sqlite/sqlite-log.ts'
import { Fault } from '../shared/fault.ts'
import { importedAgents } from '../watch/sources/file-sources.ts'
import { plainLine } from './clean-text.ts'
import { exitCodes } from './exit.ts'
import { shortId } from './find-session.ts'
import { systemReason } from './system-reason.ts'
import type { Terminal } from './terminal.ts'
import { uploadSession } from './upload-session.ts'

export interface ImportSessionOptions {
  data: string
  /** The path of the file, or `-` for stdin. */
  file: string
  json: boolean
}

/** `sluice import`: adds a session from a file. It is read-only. */
export const importSession = async (
  { data, file, json }: ImportSessionOptions,
  terminal: Terminal,
): Promise<number> => {
  const input = openInput(file)
  try {
    const session = await storeSession(data, input)
    if (json) terminal.writeJson(session)
    else
      terminal.write(
        `Imported ${shortId(session.id)}: ${plainLine(sessionName(session))}\nIt is read-only. To see it, run \`sluice replay ${shortId(session.id)}\`, or open the web app.\n`,
      )
    await terminal.flush()
    return exitCodes.done
  } catch (cause) {
    if (cause instanceof BundleError)
      throw new Fault('file_not_readable', `Cannot import ${file}. ${cause.message}`, { cause })
    if (cause instanceof Error && 'syscall' in cause)
      throw new Fault('file_not_readable', `Cannot read ${file}: ${systemReason(cause)}.`, {
        cause,
      })
    throw cause
  } finally {
    input.destroy()
  }
}

const openInput = (file: string): Readable => {
  if (file === '-') return process.stdin
  const stats = statSync(file, { throwIfNoEntry: false })
  if (stats?.isFile()) return createReadStream(file)
  if (stats?.isDirectory())
    throw new Fault(
      'file_not_readable',
      `${file} is a directory. To read the sessions in it, name their agent: sluice import claude --path ${file}`,
    )
  // Without a dot or a slash, it may be the name of an agent with a slip.
  const agents = /[./]/.test(file) ? '' : ` Agents: ${importedAgents.join(', ')}.`
  throw new Fault('file_not_readable', `There is no file ${file}.${agents}`)
}

/** What is printed of the session. */
interface ImportedSession {
  id: string
  agent: string
  cwd: string
  name?: string | undefined
  title?: string | undefined
}

/** Stores the session: directly, or through the server that has the data directory open. */
const storeSession = async (data: string, input: Readable): Promise<ImportedSession> => {
  const log = await openSqliteLog(data).catch(async (cause: unknown) => {
    if (cause instanceof LogFault && cause.code === 'locked') return undefined
    if (!(cause instanceof LogFault)) throw cause
    throw new Fault('data_not_opened', cause.message, { cause })
  })
  if (!log) return uploadSession(data, input)
  try {
    const record = await importBundle(log, input, { now: Date.now })
    const recordAction = createAuditor({
      audit: log.audit,
      program: terminalActor,
      now: Date.now,
      onError(cause) {
        throw cause
      },
    })
    recordAction({ action: 'session_imported', sessionId: record.id, detail: sessionName(record) })
    return record
  } finally {
    await log.close()
  }
}

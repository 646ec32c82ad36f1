import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { JetStreamLog } from '../log/jetstream/jetstream-log.ts'
import type { Log } from '../log/log.ts'
import { databaseFile } from '../log/sqlite/open-database.ts'
import { openSqliteLog } from '../log/sqlite/sqlite-log.ts'
import { type MoveProgress, type MoveResult, moveLog } from '../move/move-log.ts'
import { Fault } from '../shared/fault.ts'
import { asDataFault } from '../sluice/open-log.ts'
import { isTenantStored, openNatsLog } from '../sluice/open-nats-log.ts'
import { exitCodes } from './exit.ts'
import { printError, printRawError, type Terminal } from './terminal.ts'

export interface MoveDataOptions {
  data: string
  toNats?: readonly string[]
  fromNats?: readonly string[]
  creds?: string
  tenant?: string
  replicas?: number
  json: boolean
}

/** `sluice migrate`: copies a data directory into a NATS cluster, or a tenant of a cluster into a data directory. */
export const moveData = async (options: MoveDataOptions, terminal: Terminal): Promise<number> => {
  const { data, toNats, fromNats, tenant = 'default', json } = options
  const servers = toNats ?? fromNats
  if (!servers || (toNats && fromNats))
    throw new Fault('usage', 'Give either --to-nats or --from-nats, with the addresses of NATS.')
  if (toNats && !existsSync(databaseFile(data)))
    throw new Fault('data_not_opened', `There is no log in ${data}.`)
  const cluster = `tenant ${tenant} of ${servers.map(withoutLogin).join(',')}`
  // Before anything is created: a wrong name would leave empty streams, and an empty directory.
  if (fromNats && !(await isTenantStored({ ...options, servers })))
    throw new Fault('move_failed', `There is nothing to move in ${cluster}. Check --tenant.`)
  const result = await withLogs(options, servers, (directory, jetStream) =>
    moveLog({
      ...(toNats ? { from: directory, to: jetStream } : { from: jetStream, to: directory }),
      names: toNats ? { from: data, to: cluster } : { from: cluster, to: data },
      now: Date.now,
      ...(process.stderr.isTTY && { onProgress: printProgress() }),
    }),
  )
  if (json) terminal.writeJson(result)
  else if (toNats)
    terminal.write(describe(result, data, cluster, 'the data directory of each node'))
  else terminal.write(describe(result, cluster, data, data))
  await terminal.flush()
  return exitCodes.done
}

const withLogs = async (
  { data, creds, tenant, replicas }: MoveDataOptions,
  servers: readonly string[],
  use: (directory: Log, jetStream: JetStreamLog) => Promise<MoveResult>,
): Promise<MoveResult> => {
  // Opened first: its lock keeps servers and other moves away.
  const directory = await asDataFault(openSqliteLog(data))
  const work = join(data, 'move')
  try {
    const jetStream = await openNatsLog(
      work,
      { servers, creds, tenant, replicas },
      (cause) => printError(String(cause)),
      { isMove: true },
    )
    try {
      await requireNoNodes(jetStream)
      return await use(directory, jetStream)
    } finally {
      await jetStream.close()
    }
  } finally {
    await directory.close()
    // After a kill it stays, and the next run stores first what is in its journal.
    rmSync(work, { recursive: true, force: true })
  }
}

const requireNoNodes = async ({ link, names }: JetStreamLog): Promise<void> => {
  const { livingNodes } = await import('../cluster/living-nodes.ts')
  const [node] = await livingNodes(link, names)
  if (node !== undefined)
    throw new Fault('move_failed', `Node ${node} is running. Stop all nodes of the tenant first.`)
}

/** A message must not show a password. */
const withoutLogin = (address: string): string => {
  const url = new URL(address)
  return `${url.protocol}//${url.host}`
}

const describe = (
  { outcome, isContinued, counts }: MoveResult,
  from: string,
  to: string,
  files: string,
): string => {
  if (!counts || outcome === 'already_done')
    return `${capitalized(from)} was moved to ${to} before, and everything was compared then. Nothing was done.\n`
  const amounts = [
    count(counts.sessions, 'session'),
    count(counts.events, 'event'),
    count(counts.blobs, 'blob'),
    count(counts.approvals, 'approval'),
    count(counts.auditEntries, 'audit entry', 'audit entries'),
    count(counts.records, 'other record'),
  ].join(', ')
  return `${isContinued ? 'Continued and finished' : 'Finished'} the move from ${from} to ${to}.
Compared, and equal in both: ${amounts}.
${capitalized(from)} still has everything. Start servers on one of the two only: from now on they would differ.
Rules, agents and prices are files (policies.json, agents.json, prices.json): copy them to ${files}.
`
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const count = (number: number, noun: string, nouns = `${noun}s`): string =>
  `${number.toLocaleString('en')} ${number === 1 ? noun : nouns}`

const steps: Record<MoveProgress['step'], string> = {
  records: 'Copying records',
  sessions: 'Copying sessions',
  compare: 'Comparing sessions',
}

/** Prints how far the move is, on one line that clears itself. */
const printProgress = (): ((progress: MoveProgress) => void) => {
  let last = ''
  return ({ step, done, sessions }) => {
    const line = step === 'records' ? steps[step] : `${steps[step]}: ${done} of ${sessions}`
    if (line === last) return
    last = line
    printRawError(
      `\r\u001b[K${line}${step === 'compare' && done + 1 === sessions ? '\r\u001b[K' : ''}`,
    )
  }
}

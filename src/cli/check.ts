import { existsSync } from 'node:fs'
import { allSessions } from '../log/all-sessions.ts'
import type { Log } from '../log/log.ts'
import { LogFault } from '../log/log-fault.ts'
import { type CheckFinding, type CheckReport, checkSqlite } from '../log/sqlite/check.ts'
import { databaseFile } from '../log/sqlite/open-database.ts'
import { type RepairResult, repairSqlite } from '../log/sqlite/repair.ts'
import { rebuild } from '../session/registry/rebuild.ts'
import { Fault } from '../shared/fault.ts'
import { asDataFault, openLog } from '../sluice/open-log.ts'
import { plainLine } from './clean-text.ts'
import { exitCodes } from './exit.ts'
import { refuseNode } from './node-data.ts'
import type { Terminal } from './terminal.ts'

/** `sluice check`: reads everything that is stored, and prints what is damaged. */
export const check = async (
  options: { data: string; repair: boolean; json: boolean },
  terminal: Terminal,
): Promise<number> => {
  const { data, json } = options
  refuseNode(data)
  const repaired = options.repair ? await repair(data) : undefined
  const report = await orExitWith2(async () => reportOf(data))
  if (json) terminal.writeJson({ ...report, ...(repaired && { repaired }) })
  else printReport(report, repaired, terminal)
  await terminal.flush()
  return report.findings.length === 0 ? exitCodes.done : exitCodes.failed
}

/** Exit code 1 means damage. A fault without a cause exits with 2, so the cause is removed here. */
const orExitWith2 = async <Result>(run: () => Promise<Result>): Promise<Result> => {
  try {
    return await asDataFault(run())
  } catch (cause) {
    throw cause instanceof Fault ? new Fault('data_not_opened', cause.message) : cause
  }
}

const reportOf = (data: string): CheckReport => {
  if (!existsSync(databaseFile(data)))
    throw new LogFault('unusable_directory', `There is no log in ${data}.`)
  return checkSqlite(data)
}

/** Repairs the file, then reads all of it: the log drops what it can make again, and marks the rest. */
const repair = async (data: string): Promise<RepairResult> => {
  const result = await orExitWith2(async () => repairSqlite(data))
  const log = await orExitWith2(() => openLog(data))
  const rebuilding: Promise<void>[] = []
  log.damage.subscribe((damage) => void rebuilding.push(rebuild(log, damage)))
  try {
    await readAll(log)
    await Promise.all(rebuilding)
  } finally {
    await log.close()
  }
  return result
}

const readAll = async (log: Log): Promise<void> => {
  for (const { id, damage } of await allSessions(log)) {
    for await (const _ of log.readText(id, 0));
    await log.approvals.list({ sessionId: id })
    await log.ledger.list(id)
    await log.ledger.checkpoint(id)
    await log.snapshots.get(id)
    // Writes the record again from what its columns know. The session stays marked.
    if (damage?.seq === undefined && damage !== undefined) await log.sessions.update(id, {})
  }
  await log.approvals.list()
}

const printReport = (
  { file, sessions, events, records, blobs, findings }: CheckReport,
  repaired: RepairResult | undefined,
  terminal: Terminal,
): void => {
  if (repaired) {
    terminal.write(`The database as it was before: ${repaired.copy}\n`)
    if (repaired.salvaged)
      terminal.write(
        `The file was damaged. A new one was made from ${repaired.salvaged.rows} rows that could be read.\n`,
      )
  }
  terminal.write(
    `Checked ${file}: ${sessions} sessions, ${events} events, ${records} records, ${blobs} blobs.\n`,
  )
  if (findings.length === 0) {
    terminal.write('Nothing is damaged.\n')
    return
  }
  terminal.write(
    findings.length === 1 ? '\nFound 1 problem:\n' : `\nFound ${findings.length} problems:\n`,
  )
  for (const finding of findings) terminal.write(`  ${lineOf(finding)}\n`)
  terminal.write(repaired ? afterRepair : beforeRepair)
}

const lineOf = ({ where, id, problem }: CheckFinding): string =>
  plainLine(`${where}${id === undefined ? '' : ` ${id}`}: ${problem}`)

const beforeRepair = `
Other sessions work as before. A damaged session can be read up to the damage, and deleted.
To repair what can be repaired, stop the server and run \`sluice check --repair\`.
It copies the database first, and deletes no event that can be read.
`
const afterRepair = `
This could not be repaired. Sessions with damaged events can be read up to the damage, and deleted.
If you have a backup from before the damage, see \`sluice restore\`.
`

import { restoreSqlite } from '../log/sqlite/restore.ts'
import { ownTimezone, parseTime } from './cost/times.ts'
import { exitCodes } from './exit.ts'
import { localMinute } from './local-minute.ts'
import type { Terminal } from './terminal.ts'

export interface RestoreVerbOptions {
  data: string
  file: string
  force: boolean
  json: boolean
  /** The moment to restore, as the user typed it. */
  at?: string
}

/** `sluice restore`: puts a backup into a data directory. */
export const restore = async (
  { json, at, ...options }: RestoreVerbOptions,
  terminal: Terminal,
): Promise<number> => {
  const now = Date.now()
  const time = at === undefined ? undefined : parseTime(at, { timezone: ownTimezone(), now })
  const restored = await restoreSqlite({ ...options, at: time, now })
  if (json) terminal.writeJson({ data: options.data, ...restored })
  else {
    const { sessions, events, backedUpAt, previous, leftOut } = restored
    const from = backedUpAt === undefined ? '' : ` of ${localMinute(backedUpAt)}`
    terminal.write(
      `Restored ${sessions.toLocaleString('en')} sessions with ${events.toLocaleString('en')} events${from} into ${options.data}.\n`,
    )
    if (leftOut && time !== undefined)
      terminal.write(
        `Left out what came after ${localMinute(time)}: ${leftOut.sessions.toLocaleString('en')} sessions and ${leftOut.events.toLocaleString('en')} events.\n`,
      )
    if (previous !== undefined)
      terminal.write(
        `The log that was there is now ${previous}. Delete it when you no longer need it.\n`,
      )
    terminal.write(
      'Keys and browsers that were revoked after the backup are valid again: check `sluice keys list` and `sluice browsers list`.\n',
    )
  }
  await terminal.flush()
  return exitCodes.done
}

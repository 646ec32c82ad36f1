import { restoreSqlite } from '../log/sqlite/restore.ts'
import { exitCodes } from './exit.ts'
import { localMinute } from './local-minute.ts'
import type { Terminal } from './terminal.ts'

export interface RestoreVerbOptions {
  data: string
  file: string
  force: boolean
  json: boolean
}

/** `sluice restore`: puts a backup into a data directory. */
export const restore = async (
  { json, ...options }: RestoreVerbOptions,
  terminal: Terminal,
): Promise<number> => {
  const restored = await restoreSqlite({ ...options, now: Date.now() })
  if (json) terminal.writeJson({ data: options.data, ...restored })
  else {
    const { sessions, events, backedUpAt, previous } = restored
    const from = backedUpAt === undefined ? '' : ` of ${localMinute(backedUpAt)}`
    terminal.write(
      `Restored ${sessions.toLocaleString('en')} sessions with ${events.toLocaleString('en')} events${from} into ${options.data}.\n`,
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

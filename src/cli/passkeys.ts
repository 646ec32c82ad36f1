import { LogFault } from '../log/log-fault.ts'
import { openSqliteLog } from '../log/sqlite/sqlite-log.ts'
import { Fault } from '../shared/fault.ts'
import { exitCodes } from './exit.ts'
import type { Terminal } from './terminal.ts'

/**
 * `sluice passkeys reset`: for people who lost their passkeys. It works only while no server runs, so
 * that nothing that a server has started can use it.
 */
export const resetPasskeys = async (
  { data }: { data: string },
  terminal: Terminal,
): Promise<number> => {
  const log = await openSqliteLog(data).catch((cause: unknown) => {
    if (!(cause instanceof LogFault)) throw cause
    const hint = cause.code === 'locked' ? ' Stop it first.' : ''
    throw new Fault('data_not_opened', `${cause.message}${hint}`, { cause })
  })
  try {
    const passkeys = await log.passkeys.list()
    for (const { id } of passkeys) await log.passkeys.remove(id)
    await log.passkeys.removeDamaged()
    await log.settings.remove('passkeys_required')
    await log.settings.removeDamaged()
    await log.audit.append({
      ...{
        at: Date.now(),
        action: 'passkey_removed',
        detail: `all ${passkeys.length}, by a reset`,
      },
      ...{ by: 'terminal', actorKind: 'local', actorId: 'terminal' },
    })
    terminal.write(`Removed ${passkeys.length} passkeys. None is required any more.\n`)
    await terminal.flush()
    return exitCodes.done
  } finally {
    await log.close()
  }
}

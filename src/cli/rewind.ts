import type { RewindResult } from '../api/types.ts'
import { plainLine } from './clean-text.ts'
import { exitCodes } from './exit.ts'
import { findMessage } from './find-message.ts'
import { findServerSession } from './find-session.ts'
import { onServer, requireServerAt, type ServerTarget } from './remote/server-target.ts'
import type { Terminal } from './terminal.ts'

export interface RewindOptions extends ServerTarget {
  session: string
  /** Which message: see `findMessage`. */
  before: string
  dryRun: boolean
  json: boolean
}

/** `sluice rewind`: restores the files that an agent edited to their state before a message. */
export const rewindOnServer = async (
  options: RewindOptions,
  terminal: Terminal,
): Promise<number> => {
  const { session, before, dryRun, json } = options
  const client = requireServerAt(options)
  return onServer(options, async () => {
    const { id } = await findServerSession(client, session)
    const beforeMessage = await findMessage(client, id, before)
    const result = await client.sessions.rewind(id, { beforeMessage, dryRun })
    if (json) terminal.writeJson(result)
    else terminal.write(linesOf(result))
    await terminal.flush()
    return exitCodes.done
  })
}

const linesOf = ({ files, insertions, deletions, dryRun }: RewindResult): string => {
  if (files.length === 0)
    return dryRun ? 'Nothing would change.\n' : 'The files already were in this state.\n'
  const counts =
    insertions === undefined || deletions === undefined ? '' : ` (+${insertions} −${deletions})`
  const count = files.length === 1 ? '1 file' : `${files.length} files`
  const head = `${dryRun ? 'Would restore' : 'Restored'} ${count}${counts}:`
  return [head, ...files.map((path) => `  ${plainLine(path)}`), ''].join('\n')
}

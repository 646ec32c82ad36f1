import { Fault } from '../shared/fault.ts'
import { defined } from '../shared/fields.ts'
import { exitCodes } from './exit.ts'
import { findMessage } from './find-message.ts'
import { findServerSession } from './find-session.ts'
import { onServer, requireServerAt, type ServerTarget } from './remote/server-target.ts'
import type { Terminal } from './terminal.ts'

export interface ForkOptions extends ServerTarget {
  session: string
  name?: string
  /** Which message the copy ends before: see `findMessage`. */
  before?: string
  json: boolean
}

/** `sluice fork`: creates a session that continues the conversation of another one on a server. */
export const forkOnServer = async (options: ForkOptions, terminal: Terminal): Promise<number> => {
  const { session, json, before } = options
  const name = options.name?.trim()
  if (name === '') throw new Fault('usage', 'The name is empty.')
  const client = requireServerAt(options)
  return onServer(options, async () => {
    const { id } = await findServerSession(client, session)
    const beforeMessage = before === undefined ? before : await findMessage(client, id, before)
    const fork = await client.sessions.fork(id, defined({ name, beforeMessage }))
    if (json) terminal.writeJson(fork)
    else terminal.write(`${fork.id}\n`)
    await terminal.flush()
    return exitCodes.done
  })
}

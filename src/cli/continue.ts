import { defined } from '../shared/fields.ts'
import { exitCodes } from './exit.ts'
import { findServerSession } from './find-session.ts'
import { onServer, requireServerAt, type ServerTarget } from './remote/server-target.ts'
import type { Terminal } from './terminal.ts'

export interface ContinueOnServerOptions extends ServerTarget {
  session: string
  /** A person says that no other program works in the session. */
  confirm: boolean
  /** The lost node of the session: a person confirms that its machine is gone for good, or the agent there has ended. */
  lostNode?: string | undefined
  json: boolean
}

/** `sluice continue`: makes a server run the agent of a session that began outside Sluice. */
export const continueOnServer = async (
  options: ContinueOnServerOptions,
  terminal: Terminal,
): Promise<number> => {
  const { session, confirm, lostNode, json } = options
  const client = requireServerAt(options)
  return onServer(options, async () => {
    const { id } = await findServerSession(client, session)
    const continued = await client.sessions.continue(id, {
      ...{ confirmed: confirm, ...defined({ lostNode }) },
    })
    if (json) terminal.writeJson(continued)
    else terminal.write(`${id}\nTo write to it: sluice attach ${id.slice(0, 8)}\n`)
    await terminal.flush()
    return exitCodes.done
  })
}

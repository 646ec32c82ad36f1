import { text as readText } from 'node:stream/consumers'
import { sessionName } from '../api/session-name.ts'
import type { SessionInfo } from '../api/types.ts'
import { Fault } from '../shared/fault.ts'
import { shortened } from '../shared/shortened.ts'
import { plainLine } from './clean-text.ts'
import { exitCodes } from './exit.ts'
import { findServerSession, shortId } from './find-session.ts'
import { readAttachments } from './read-attachments.ts'
import { onServer, requireServerAt, type ServerTarget } from './remote/server-target.ts'
import type { Terminal } from './terminal.ts'

interface SessionVerbOptions extends ServerTarget {
  session: string
  json: boolean
}

export interface SteerOptions extends SessionVerbOptions {
  /** The message, or `-` to read it from stdin. */
  text: string
  /** Whether the agent reads it after the run. */
  queue: boolean
  /** Paths of files that go with it. */
  file?: readonly string[]
}

/** `sluice steer`: sends a message into the run of a session on a server. */
export const steerOnServer = async (options: SteerOptions, terminal: Terminal): Promise<number> => {
  const { session, queue, json } = options
  const text = (options.text === '-' ? await readText(process.stdin) : options.text).trim()
  if (text === '') throw new Fault('usage', 'The message is empty.')
  const files = await readAttachments(options.file)
  const client = requireServerAt(options)
  return onServer(options, async () => {
    const found = await findServerSession(client, session)
    const isRunning = found.state === 'running'
    const accepted = await (queue ? client.sessions.followUp : client.sessions.steer)(found.id, {
      text,
      ...(files.length > 0 && { files }),
    })
    if (json) terminal.writeJson(accepted)
    else terminal.write(`${sentLine(isRunning, queue)} ${labelOf(found)}.\n`)
    await terminal.flush()
    return exitCodes.done
  })
}

/** `sluice abort`: stops the run of a session on a server. */
export const abortOnServer = async (
  options: SessionVerbOptions,
  terminal: Terminal,
): Promise<number> => {
  const { session, json } = options
  const client = requireServerAt(options)
  return onServer(options, async () => {
    const found = await findServerSession(client, session)
    const accepted = await client.sessions.abort(found.id)
    const line = found.state === 'running' ? 'Stopping the run of' : 'There was no run to stop in'
    if (json) terminal.writeJson(accepted)
    else terminal.write(`${line} ${labelOf(found)}.\n`)
    await terminal.flush()
    return exitCodes.done
  })
}

const sentLine = (isRunning: boolean, isQueued: boolean): string => {
  if (!isRunning) return 'Started a run in'
  return isQueued ? 'Queued for' : 'Sent to'
}

const labelOf = (session: SessionInfo): string =>
  `${shortId(session.id)} (${shortened(plainLine(sessionName(session)), 40)})`

import { Readable } from 'node:stream'
import { requestTicket } from '../http/control-socket.ts'
import { apiBase } from '../http/endpoints.ts'
import { readServerFile } from '../http/server-file.ts'
import { lockHolder } from '../log/sqlite/lock.ts'
import { Fault } from '../shared/fault.ts'

/** Sends a bundle to the server that has a data directory open, as fast as the server stores it. */
export const uploadSession = async (
  directory: string,
  input: Readable,
): Promise<{ id: string; agent: string; cwd: string }> => {
  const server = readServerFile(directory)
  if (!server || server.pid !== lockHolder(directory))
    throw new Fault(
      'data_not_opened',
      `Another process has ${directory} open, and it is not a Sluice server. Stop it first.`,
    )
  const token = await requestTicket(directory, server.control)
  const response = await fetch(new URL(`${apiBase}/sessions/import`, server.url), {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/gzip' },
    body: Readable.toWeb(input),
    duplex: 'half',
  }).catch((cause: unknown) => {
    throw new Fault('not_listening', `The server at ${server.url} does not respond.`, { cause })
  })
  const body: unknown = await response.json().catch(() => undefined)
  if (!isObject(body)) throw new Fault('usage', `The server responded with ${response.status}.`)
  const { id, agent, cwd, detail } = body
  if (typeof id === 'string' && typeof agent === 'string' && typeof cwd === 'string')
    return { ...body, id, agent, cwd }
  throw new Fault('usage', typeof detail === 'string' ? detail : 'The server refused the file.')
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

import { headers, type Msg, type MsgHdrs } from '@nats-io/transport-node'
import { z } from 'zod'

const deadlineHeader = 'Sluice-Deadline'
/** The headers that NATS services report errors with, so that other clients understand them. */
const errorHeader = 'Nats-Service-Error'
const errorCodeHeader = 'Nats-Service-Error-Code'

/** The headers of a request. */
export const requestHeaders = (deadlineMs: number): MsgHdrs => {
  const made = headers()
  made.set(deadlineHeader, String(deadlineMs))
  return made
}

/** How long a requester waits; undefined when the request does not say it. */
export const deadlineOf = ({ headers }: Msg): number | undefined => {
  const text = headers?.get(deadlineHeader)
  const deadline = text ? Number(text) : Number.NaN
  return Number.isNaN(deadline) ? undefined : deadline
}

/** Why a responder did not answer. 400: invalid request. 500: the responder failed. 503: it closed. */
export type RpcErrorCode = 400 | 500 | 503

/** The headers of a reply that reports an error. The complete message is in the body. */
export const errorHeaders = (code: RpcErrorCode, message: string): MsgHdrs => {
  const made = headers()
  made.set(errorCodeHeader, String(code))
  made.set(errorHeader, message.replace(/[^\x20-\x7e]+/g, ' ').slice(0, 200))
  return made
}

/** The message of a reply that reports an error; undefined for a response. */
export const errorIn = (message: Msg): string | undefined => {
  if (!message.headers?.has(errorCodeHeader)) return undefined
  const body = z.object({ error: z.string() }).safeParse(jsonIn(message))
  return body.success ? body.data.error : message.headers.get(errorHeader)
}

/** Whether this is the server’s reply to a request that nobody is subscribed to. */
export const isNoResponders = ({ headers, data }: Msg): boolean =>
  data.length === 0 && headers?.code === 503

/** The JSON of a message; undefined when it is none. */
export const jsonIn = (message: Msg): unknown => {
  try {
    return message.json()
  } catch {
    return undefined
  }
}

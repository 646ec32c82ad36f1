import type { Msg } from '@nats-io/transport-node'
import type { BusReply, BusReport } from '../bus.ts'
import { isRequest, schemaError } from '../check.ts'
import type { Responders } from '../responders.ts'
import type { RpcSubject } from '../subjects/table.ts'
import type { BusConnection } from './bus-connection.ts'
import type { BusNames } from './bus-names.ts'
import { deadlineOf, errorHeaders, jsonIn, type RpcErrorCode } from './rpc-messages.ts'

/** Answers requests of other processes with the responders of this one. */
export interface RemoteResponders {
  /** Starts to answer the requests of a subject. Returns a function that ends it. */
  serve(subject: RpcSubject): () => void
  /** Answers no more new requests. */
  close(): void
}

/** Of all members of a group, NATS chooses one for each request. */
const responderGroup = 'sluice'

export const createRemoteResponders = (
  connection: BusConnection,
  names: BusNames,
  responders: Responders,
  report: (report: BusReport) => void,
): RemoteResponders => {
  /** The requests that are being answered, by their reply subjects. */
  const open = new Map<string, AbortController>()
  const served = new Set<() => void>()
  let endCancels: (() => void) | undefined

  const respondError = (message: Msg, code: RpcErrorCode, error: string): void => {
    const options = { headers: errorHeaders(code, error) }
    if (message.reply !== undefined)
      connection.publish(message.reply, JSON.stringify({ error }), options)
  }

  const respond = (message: Msg, reply: BusReply<unknown>): void => {
    if (message.reply === undefined) return
    if (reply.outcome === 'answered') connection.publish(message.reply, JSON.stringify(reply.value))
    if (reply.outcome === 'failed') respondError(message, 500, reply.message)
    if (reply.outcome === 'closed') respondError(message, 503, 'The responder has closed.')
  }

  const answer = async (subject: RpcSubject, message: Msg): Promise<void> => {
    const { reply = '' } = message
    const request = jsonIn(message)
    if (!isRequest(subject, request)) {
      const error = schemaError(subject, 'request', request)
      report({ code: 'invalid_message', subject, error })
      respondError(message, 400, error.message)
      return
    }
    const cancel = new AbortController()
    open.set(reply, cancel)
    const deadlineMs = deadlineOf(message)
    const result = await responders.request(subject, request, {
      signal: cancel.signal,
      ...(deadlineMs !== undefined && { deadlineMs }),
    })
    open.delete(reply)
    if (!cancel.signal.aborted) respond(message, result)
  }

  return {
    serve(subject) {
      endCancels ??= connection.subscribe(names.cancel, (message) =>
        open.get(message.string())?.abort(),
      )
      const unsubscribe = connection.subscribe(
        names.rpc(subject),
        (message) => void answer(subject, message),
        responderGroup,
      )
      const end = () => {
        if (served.delete(end)) unsubscribe()
      }
      served.add(end)
      return end
    },
    close() {
      for (const end of served) end()
      endCancels?.()
    },
  }
}

import { createInbox, type Msg } from '@nats-io/transport-node'
import type { BusReply, BusReport, RequestContext, RequestOptions } from '../bus.ts'
import { isResponse, schemaError } from '../check.ts'
import { createRequests } from '../requests.ts'
import type { RequestOf, ResponseOf, RpcSubject } from '../subjects/table.ts'
import type { BusConnection } from './bus-connection.ts'
import type { BusNames } from './bus-names.ts'
import { errorIn, isNoResponders, jsonIn, requestHeaders } from './rpc-messages.ts'

/** Requests to responders in other processes. */
export interface RemoteRequests {
  request<Subject extends RpcSubject>(
    subject: Subject,
    payload: RequestOf<Subject>,
    options: RequestOptions,
  ): Promise<BusReply<ResponseOf<Subject>>>
  /** Ends all open requests with `closed`. */
  close(): void
}

export interface RemoteRequestOptions {
  connection: BusConnection
  names: BusNames
  inboxPrefix: string | undefined
  report(report: BusReport): void
}

export const createRemoteRequests = (options: RemoteRequestOptions): RemoteRequests => {
  const { connection, names, inboxPrefix, report } = options
  const requests = createRequests()

  /** Publishes a request and resolves with the first reply. */
  const send = (subject: string, body: string, { deadlineMs, signal }: RequestContext) =>
    new Promise<Msg | undefined>((resolve, reject) => {
      const reply = createInbox(inboxPrefix)
      const end = connection.subscribe(reply, (message) => {
        end()
        resolve(message)
      })
      signal.addEventListener('abort', () => {
        end()
        // A responder counts the deadline by itself.
        if (signal.reason === 'closed') connection.publish(names.cancel, reply)
      })
      const headers = requestHeaders(deadlineMs)
      if (connection.publish(names.rpc(subject), body, { reply, headers })) return
      end()
      // Without a connection, nobody can be reached who could respond.
      if (connection.isConnected()) reject(new Error(`The request on ${subject} cannot be sent.`))
      else resolve(undefined)
    })

  const replyIn = <Subject extends RpcSubject>(
    subject: Subject,
    message: Msg | undefined,
  ): BusReply<ResponseOf<Subject>> => {
    if (!message || isNoResponders(message)) return { outcome: 'no_responder' }
    const error = errorIn(message)
    if (error !== undefined) return { outcome: 'failed', message: error }
    const value = jsonIn(message)
    if (isResponse(subject, value)) return { outcome: 'answered', value }
    const invalid = schemaError(subject, 'response', value)
    report({ code: 'invalid_message', subject, error: invalid })
    return { outcome: 'failed', message: invalid.message }
  }

  return {
    async request(subject, payload, requestOptions) {
      const body = JSON.stringify(payload)
      const sent = await requests.send((context) => send(subject, body, context), requestOptions)
      return sent.outcome === 'answered' ? replyIn(subject, sent.value) : sent
    },
    close: requests.close,
  }
}

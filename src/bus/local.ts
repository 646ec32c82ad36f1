import type { Bus, BusReport, RequestContext } from './bus.ts'
import { ensureRpc, isBusMessage, isRequest, isResponse, schemaError } from './check.ts'
import { createRequests } from './requests.ts'
import type { ResponseOf, RpcSubject } from './subjects/table.ts'
import { createSubscriptions } from './subscriptions.ts'

export interface LocalBusOptions {
  /** Receives errors of handlers and responders, and subscriptions that were ended as too slow. */
  onError(report: BusReport): void
  /** How long `close` waits for slow handlers, in milliseconds. */
  drainMs?: number
}

type CheckedResponder = (request: unknown, context: RequestContext) => Promise<unknown>

/** A bus inside one process. A message is checked once and passed to all subscribers. */
export const createLocalBus = ({ onError, drainMs = 1000 }: LocalBusOptions): Bus => {
  // In a microtask, so that an error in onError cannot stop a delivery.
  const report = (report: BusReport) => queueMicrotask(() => onError(report))
  const subscriptions = createSubscriptions(report)
  const requests = createRequests()
  const responders = new Map<string, CheckedResponder>()
  let isClosed = false
  let closing: Promise<void> | undefined

  return {
    emit(subject, payload) {
      const message = { subject, payload }
      if (!isBusMessage(message)) throw schemaError(subject, 'payload', payload)
      subscriptions.push(message)
    },

    on: subscriptions.add,
    isWanted: subscriptions.isWanted,

    async request(subject, payload, options = {}) {
      if (!isRequest(subject, payload)) throw schemaError(subject, 'request', payload)
      if (isClosed) return { outcome: 'closed' }
      const responder = responders.get(subject)
      if (!responder) return { outcome: 'no_responder' }
      return requests.send(
        (context) => checkResponse(subject, responder(payload, context), context),
        options,
      )
    },

    respond(subject, responder) {
      ensureRpc(subject)
      if (responders.has(subject)) throw new Error(`${subject} already has a responder.`)
      const checked: CheckedResponder = async (request, context) => {
        if (!isRequest(subject, request)) throw schemaError(subject, 'request', request)
        return responder(request, context)
      }
      if (!isClosed) responders.set(subject, checked)
      return () => {
        if (responders.get(subject) === checked) responders.delete(subject)
      }
    },

    close() {
      isClosed = true
      requests.close()
      responders.clear()
      closing ??= subscriptions.close(drainMs)
      return closing
    },
  }

  /** A response that does not match its schema counts as a failure of the responder. */
  async function checkResponse<Subject extends RpcSubject>(
    subject: Subject,
    response: Promise<unknown>,
    { signal }: RequestContext,
  ): Promise<ResponseOf<Subject>> {
    try {
      const value = await response
      if (!isResponse(subject, value)) throw schemaError(subject, 'response', value)
      return value
    } catch (error) {
      // A responder may give up once nobody waits for its response.
      if (!signal.aborted) report({ code: 'responder_failed', subject, error })
      throw error
    }
  }
}

import type { Bus, BusReport, RequestContext } from './bus.ts'
import { demandRpc, isMessage, isRequest, isResponse, problemOf } from './check.ts'
import { createRequests } from './requests.ts'
import type { ResponseOf, RpcSubject } from './subjects/table.ts'
import { createSubscriptions } from './subscriptions.ts'

/** What a bus inside one process needs. */
export interface LocalBusOptions {
  /** Told what has nobody else to be told to: failed handlers, and subscribers that were cut. */
  onError(report: BusReport): void
  /** How long `close` waits for handlers that are behind. */
  drainMs?: number
}

type Answer = (request: unknown, question: RequestContext) => Promise<unknown>

/** A bus inside one process: what is told is checked once, and is one object for everybody. */
export const createLocalBus = ({ onError, drainMs = 1000 }: LocalBusOptions): Bus => {
  // Later, so that whatever onError does, no delivery is cut short by it.
  const report = (report: BusReport) => queueMicrotask(() => onError(report))
  const subscriptions = createSubscriptions(report)
  const requests = createRequests()
  const responders = new Map<string, Answer>()
  let isClosed = false
  let closing: Promise<void> | undefined

  return {
    emit(subject, payload) {
      const message = { subject, payload }
      if (!isMessage(message)) throw problemOf(subject, 'payload', payload)
      subscriptions.push(message)
    },

    on: subscriptions.add,

    async request(subject, payload, options = {}) {
      if (!isRequest(subject, payload)) throw problemOf(subject, 'request', payload)
      if (isClosed) return { outcome: 'closed' }
      const responder = responders.get(subject)
      if (!responder) return { outcome: 'no_responder' }
      return requests.ask(
        (question) => answerOf(subject, responder(payload, question), question),
        options,
      )
    },

    respond(subject, responder) {
      demandRpc(subject)
      if (responders.has(subject)) throw new Error(`${subject} has a responder`)
      const answer: Answer = async (request, question) => {
        if (!isRequest(subject, request)) throw problemOf(subject, 'request', request)
        return responder(request, question)
      }
      if (!isClosed) responders.set(subject, answer)
      return () => {
        if (responders.get(subject) === answer) responders.delete(subject)
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

  /** A response that does not fit is the responder’s failure. */
  async function answerOf<Subject extends RpcSubject>(
    subject: Subject,
    response: Promise<unknown>,
    { signal }: RequestContext,
  ): Promise<ResponseOf<Subject>> {
    try {
      const value = await response
      if (!isResponse(subject, value)) throw problemOf(subject, 'response', value)
      return value
    } catch (error) {
      // Giving up when nobody waits any more is no failure.
      if (!signal.aborted) report({ code: 'responder_failed', subject, error })
      throw error
    }
  }
}

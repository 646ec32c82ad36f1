import type { BusReply, BusReport, RequestContext, RequestOptions, Responder } from './bus.ts'
import { ensureRpc, isRequest, isResponse, schemaError } from './check.ts'
import { createRequests } from './requests.ts'
import type { RequestOf, ResponseOf, RpcSubject } from './subjects/table.ts'

type CheckedResponder = (request: unknown, context: RequestContext) => Promise<unknown>

/** The responders of this process, by subject, and the requests that wait for them. */
export interface Responders {
  /** Adds a responder. Throws if the subject has one. Returns a function that removes it. */
  add<Subject extends RpcSubject>(subject: Subject, responder: Responder<Subject>): () => void
  has(subject: RpcSubject): boolean
  /** Sends a request to the responder of its subject. */
  request<Subject extends RpcSubject>(
    subject: Subject,
    payload: RequestOf<Subject>,
    options: RequestOptions,
  ): Promise<BusReply<ResponseOf<Subject>>>
  /** Ends open requests with `closed` and removes all responders. */
  close(): void
}

export const createResponders = (report: (report: BusReport) => void): Responders => {
  const requests = createRequests()
  const responders = new Map<string, CheckedResponder>()
  let isClosed = false

  return {
    add(subject, responder) {
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
    has: (subject) => responders.has(subject),
    async request(subject, payload, options) {
      if (isClosed) return { outcome: 'closed' }
      const responder = responders.get(subject)
      if (!responder) return { outcome: 'no_responder' }
      return requests.send(
        (context) => checkResponse(subject, responder(payload, context), context),
        options,
      )
    },
    close() {
      isClosed = true
      requests.close()
      responders.clear()
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

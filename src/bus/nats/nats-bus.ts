import type { Msg } from '@nats-io/transport-node'
import { inboxOf } from '../../log/jetstream/subjects.ts'
import type { Bus, BusReport } from '../bus.ts'
import { isBusMessage, isRequest, schemaError } from '../check.ts'
import { createResponders } from '../responders.ts'
import { createSubscriptions } from '../subscriptions.ts'
import { type BusConnectionOptions, openBusConnection } from './bus-connection.ts'
import { busNamesOf } from './bus-names.ts'
import { createInterest, type Interest } from './interest.ts'
import { createRemoteRequests } from './remote-requests.ts'
import { createRemoteResponders } from './remote-responders.ts'
import { jsonIn } from './rpc-messages.ts'

/** How a bus over NATS is opened. */
export interface NatsBusOptions extends BusConnectionOptions {
  /** Whose bus it is. Default: `default`. */
  tenant?: string | undefined
  /** Receives errors that have no caller to go to. */
  onError(report: BusReport): void
  /** How long `close` waits for slow handlers and for the server, in milliseconds each. */
  drainMs?: number
}

/**
 * Opens a bus that all processes of a tenant share, over core NATS. Subscribers and responders of this
 * process are reached directly, also while NATS is away. Other processes get a message at most once:
 * one that is emitted while NATS is away is reported as `not_sent`. Rejects when no server answers within 20 seconds, or when the login is refused.
 */
export const openNatsBus = async ({
  tenant = 'default',
  onError,
  drainMs = 1000,
  inboxPrefix = inboxOf(tenant),
  ...address
}: NatsBusOptions): Promise<Bus> => {
  const names = busNamesOf(tenant)
  const report = (report: BusReport) => queueMicrotask(() => onError(report))
  const connection = await openBusConnection({ ...address, inboxPrefix }, report)
  const remote = createRemoteRequests({ connection, names, inboxPrefix, report })
  const responders = createResponders(report)
  const remoteResponders = createRemoteResponders(connection, names, responders, report)
  const ends = new Map<string, () => void>()
  let interest: Interest | undefined
  let isClosed = false
  let closing: Promise<void> | undefined

  const receive = (subject: string, message: Msg): void => {
    const received = { subject, payload: jsonIn(message) }
    if (isBusMessage(received)) subscriptions.push(received)
    else {
      const error = schemaError(subject, 'payload', received.payload)
      report({ code: 'invalid_message', subject, error })
    }
  }
  const follow = (subject: string, isWanted: boolean): void => {
    ends.get(subject)?.()
    ends.delete(subject)
    if (isWanted) {
      const end = connection.subscribe(names.event(subject), (each) => receive(subject, each))
      ends.set(subject, end)
    }
    interest?.announce()
  }
  const subscriptions = createSubscriptions(report, follow)
  interest = createInterest(connection, names.interest, subscriptions.subjects)

  const close = async (): Promise<void> => {
    responders.close()
    remote.close()
    remoteResponders.close()
    interest.close()
    // The requests that have just ended report it to their requesters and responders.
    await Promise.resolve()
    await subscriptions.close(drainMs)
    await connection.close(drainMs)
  }

  return {
    emit(subject, payload) {
      const message = { subject, payload }
      if (!isBusMessage(message)) throw schemaError(subject, 'payload', payload)
      if (isClosed) return
      subscriptions.push(message)
      connection.publish(names.event(subject), JSON.stringify(payload))
    },
    on: subscriptions.add,
    isWanted: (subject) =>
      !isClosed && (subscriptions.isWanted(subject) || interest.isWanted(subject)),
    async request(subject, payload, options = {}) {
      if (!isRequest(subject, payload)) throw schemaError(subject, 'request', payload)
      if (isClosed) return { outcome: 'closed' }
      return (responders.has(subject) ? responders : remote).request(subject, payload, options)
    },
    respond(subject, responder) {
      const remove = responders.add(subject, responder)
      if (isClosed) return remove
      const end = remoteResponders.serve(subject)
      return () => {
        remove()
        end()
      }
    },
    close() {
      isClosed = true
      closing ??= close()
      return closing
    },
  }
}

import type { Bus, BusReport } from './bus.ts'
import { isBusMessage, isRequest, schemaError } from './check.ts'
import { createResponders } from './responders.ts'
import { createSubscriptions } from './subscriptions.ts'

export interface LocalBusOptions {
  /** Receives errors of handlers and responders, and subscriptions that were ended as too slow. */
  onError(report: BusReport): void
  /** How long `close` waits for slow handlers, in milliseconds. */
  drainMs?: number
}

/** A bus inside one process. A message is checked once and passed to all subscribers. */
export const createLocalBus = ({ onError, drainMs = 1000 }: LocalBusOptions): Bus => {
  // In a microtask, so that an error in onError cannot stop a delivery.
  const report = (report: BusReport) => queueMicrotask(() => onError(report))
  const subscriptions = createSubscriptions(report)
  const responders = createResponders(report)
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
      return responders.request(subject, payload, options)
    },
    respond: responders.add,
    close() {
      responders.close()
      closing ??= subscriptions.close(drainMs)
      return closing
    },
  }
}

import { checkTenant } from '../../log/jetstream/subjects.ts'

/** The NATS subjects of a tenant’s bus. */
export interface BusNames {
  /** Where the messages of an event subject are published. */
  event(subject: string): string
  /** Where the requests of an RPC subject are published. */
  rpc(subject: string): string
  /** Where a requester that stops waiting publishes the reply subject of its request. */
  readonly cancel: string
  /** Where programs announce which subjects they are subscribed to. */
  readonly interest: string
}

/**
 * Requests have a prefix of their own. NATS reports that nobody responds only when a subject has no
 * subscriber at all: a program that watches `bus.>` would hide that.
 */
export const busNamesOf = (tenant: string): BusNames => {
  checkTenant(tenant)
  const prefix = `sluice.${tenant}`
  return {
    event: (subject) => `${prefix}.bus.${subject}`,
    rpc: (subject) => `${prefix}.rpc.${subject}`,
    cancel: `${prefix}.cancel`,
    interest: `${prefix}.interest`,
  }
}

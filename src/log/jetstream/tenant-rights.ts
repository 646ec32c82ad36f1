import { inboxOf, type Names, streamsOf } from './subjects.ts'

/** The NATS subjects that a user may publish to and subscribe to. */
export interface Rights {
  readonly publish: readonly string[]
  readonly subscribe: readonly string[]
}

export interface RightsOptions {
  /** Whether the user creates the streams itself. */
  mayCreate: boolean
}

/**
 * What the nodes of a tenant need, and nothing of another one. Who may create or change a stream can
 * make it copy any other stream of the account, so that is only for an account of the tenant’s own.
 */
export const rightsOf = (names: Names, { mayCreate }: RightsOptions): Rights => {
  const inbox = `${inboxOf(names.tenant)}.>`
  const own = `sluice.${names.tenant}.>`
  return {
    publish: [
      own,
      inbox,
      '$JS.API.INFO',
      ...streamsOf(names).flatMap((stream) => streamRights(stream, mayCreate)),
      `$KV.${names.recordBucket}.>`,
      `$KV.${names.nodeBucket}.>`,
      `$O.${names.objectBucket}.>`,
    ],
    subscribe: [inbox, own],
  }
}

const streamRights = (stream: string, mayCreate: boolean): string[] => [
  ...(mayCreate ? [`$JS.API.STREAM.CREATE.${stream}`, `$JS.API.STREAM.UPDATE.${stream}`] : []),
  `$JS.API.STREAM.INFO.${stream}`,
  `$JS.API.STREAM.PURGE.${stream}`,
  `$JS.API.STREAM.MSG.GET.${stream}`,
  `$JS.API.DIRECT.GET.${stream}`,
  `$JS.API.DIRECT.GET.${stream}.>`,
  `$JS.API.CONSUMER.CREATE.${stream}`,
  `$JS.API.CONSUMER.CREATE.${stream}.>`,
  `$JS.API.CONSUMER.INFO.${stream}.*`,
  `$JS.API.CONSUMER.DELETE.${stream}.*`,
  `$JS.API.CONSUMER.MSG.NEXT.${stream}.*`,
  `$JS.ACK.${stream}.>`,
  `$JS.FC.${stream}.>`,
]

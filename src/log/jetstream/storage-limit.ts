import type { JetStreamAccountStats, StreamInfo } from '@nats-io/jetstream'
import { formatSize } from '../../shared/format-size.ts'
import { type LogHealth, type LogStatus, okStatus } from '../log-status.ts'
import type { NatsLink } from './nats-link.ts'
import { isStreamMissing } from './server-errors.ts'
import { createStreamCheck, type FoundStream } from './stream-check.ts'
import { type Names, streamsOf } from './subjects.ts'

/** How much a tenant stores, and how much it may. */
export interface StoredShare {
  readonly usedBytes: number
  readonly limitBytes: number
}

/** Above this share, new work is refused: the rest is for what agents still have to say. */
const lowShare = 0.9

/** How often the use is compared with the limit. */
const pollMs = 2000

export interface StorageLimit extends LogHealth {
  close(): void
}

/**
 * Watches the streams of a tenant: that they are there, and the limits that the server sets for them and
 * for the account. Before those are reached, the log reports `low_space`, as with a disk that is almost full.
 */
export const createStorageLimit = (
  link: NatsLink,
  { names, tenant }: { names: Names; tenant: string },
): StorageLimit => {
  const listeners = new Set<(status: LogStatus) => void>()
  let status = okStatus
  let checking: Promise<void> | undefined
  let isClosed = false

  const streams = createStreamCheck()

  const set = ({ state, reason }: Omit<LogStatus, 'since'>): void => {
    if (reason === status.reason || isClosed) return
    status = reason === undefined ? okStatus : { state, reason, since: status.since ?? Date.now() }
    for (const listener of listeners) listener(status)
  }
  const compare = ({ account, infos }: TenantStreams): void => {
    const found = streams.compare(
      new Map(Array.from(infos, ([content, info]) => [content, info && foundStream(info)])),
    )
    set(found.state === 'ok' ? spaceOf(tenant, fullestShare(account, infos)) : found)
  }
  const check = async (): Promise<void> => {
    if (!link.isConnected()) return
    // Without an answer, what was last seen still holds.
    await readStreams(link, names).then(compare, () => {})
  }
  const checkOnce = (): Promise<void> => {
    checking ??= check().finally(() => {
      checking = undefined
    })
    return checking
  }
  const timer = setInterval(() => void checkOnce(), pollMs).unref()
  void checkOnce()

  return {
    status: () => status,
    async checkStatus() {
      if (status.state !== 'ok') await checkOnce()
      return status
    },
    onStatus(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    close() {
      isClosed = true
      clearInterval(timer)
    },
  }
}

const spaceOf = (tenant: string, share: StoredShare | undefined): Omit<LogStatus, 'since'> =>
  share && share.usedBytes >= share.limitBytes * lowShare
    ? { state: 'low_space', reason: reasonFor(tenant, share) }
    : okStatus

const reasonFor = (tenant: string, { usedBytes, limitBytes }: StoredShare): string =>
  `The tenant “${tenant}” stores ${formatSize(usedBytes)} of the ${formatSize(limitBytes)} that the NATS server allows it. Delete sessions, or raise the limit (max_file of the account, or sluice nats-setup --max-bytes).`

/** What the servers say about the streams of a tenant, by what they hold. */
interface TenantStreams {
  readonly account: JetStreamAccountStats
  readonly infos: ReadonlyMap<string, StreamInfo | undefined>
}

/** What the streams hold, for people. The log of a server hides their names, which look like keys. */
const contents = ['events', 'records', 'blobs', 'nodes']

const readStreams = async ({ manager }: NatsLink, names: Names): Promise<TenantStreams> => {
  const infoOf = (stream: string): Promise<StreamInfo | undefined> =>
    manager.streams.info(stream).catch((cause: unknown) => {
      if (!isStreamMissing(cause)) throw cause
      return undefined
    })
  const [account, ...infos] = await Promise.all([
    manager.getAccountInfo(),
    ...streamsOf(names).map(infoOf),
  ])
  return { account, infos: new Map(contents.map((content, index) => [content, infos[index]])) }
}

const foundStream = ({ created, state, config }: StreamInfo): FoundStream => ({
  ...{ created, lastSeq: state.last_seq, isSealed: config.sealed },
})

/** The limit that is nearest; undefined without limits. */
const fullestShare = (
  account: TenantStreams['account'],
  infos: TenantStreams['infos'],
): StoredShare | undefined => {
  const shares = [
    { usedBytes: account.storage, limitBytes: account.limits.max_storage },
    ...Array.from(infos.values(), (info) => ({
      ...{ usedBytes: info?.state.bytes ?? 0, limitBytes: info?.config.max_bytes ?? 0 },
    })),
  ]
  return shares
    .filter(({ limitBytes }) => limitBytes > 0)
    .sort((left, right) => right.usedBytes / right.limitBytes - left.usedBytes / left.limitBytes)[0]
}

/** The status of a log that can be away, and whose streams are watched. What is worse comes first. */
export const withStorageLimit = (
  outage: LogHealth & { close(): void },
  limit: StorageLimit,
): StorageLimit => {
  const worse = (): LogStatus => {
    const status = outage.status()
    const own = limit.status()
    // Without a stream, writes get no answer, as if NATS were away.
    const isLost = own.state === 'unwritable' || own.state === 'failed'
    return isLost || status.state === 'ok' ? own : status
  }
  return {
    status: worse,
    async checkStatus() {
      await Promise.all([outage.checkStatus(), limit.checkStatus()])
      return worse()
    },
    onStatus(listener) {
      let last = worse()
      const tell = (): void => {
        const next = worse()
        if (next.reason === last.reason) return
        last = next
        listener(next)
      }
      const ends = [outage, limit].map((each) => each.onStatus(tell))
      return () => {
        for (const end of ends) end()
      }
    },
    close() {
      outage.close()
      limit.close()
    },
  }
}

import { formatSize } from '../../shared/format-size.ts'
import { type LogHealth, type LogStatus, okStatus } from '../log-status.ts'
import type { NatsLink } from './nats-link.ts'
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
 * Watches the limits that the server sets for a tenant: of its account, and of its streams. Before they
 * are reached, the log reports `low_space`, as with a disk that is almost full.
 */
export const createStorageLimit = (
  link: NatsLink,
  { names, tenant }: { names: Names; tenant: string },
): StorageLimit => {
  const listeners = new Set<(status: LogStatus) => void>()
  let status = okStatus
  let checking: Promise<void> | undefined
  let isClosed = false

  const set = (share: StoredShare | undefined): void => {
    const reason =
      share && share.usedBytes >= share.limitBytes * lowShare && reasonFor(tenant, share)
    if ((reason || undefined) === status.reason || isClosed) return
    status = reason ? { state: 'low_space', reason, since: status.since ?? Date.now() } : okStatus
    for (const listener of listeners) listener(status)
  }
  const check = async (): Promise<void> => {
    if (!link.isConnected()) return
    // Without an answer, what was last seen still holds.
    await fullestShare(link, names).then(set, () => {})
  }
  const checkOnce = (): Promise<void> => {
    checking ??= check().finally(() => {
      checking = undefined
    })
    return checking
  }
  const timer = setInterval(() => void checkOnce(), pollMs).unref()

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

const reasonFor = (tenant: string, { usedBytes, limitBytes }: StoredShare): string =>
  `The tenant “${tenant}” stores ${formatSize(usedBytes)} of the ${formatSize(limitBytes)} that the NATS server allows it. Delete sessions, or raise the limit (max_file of the account, or sluice nats-setup --max-bytes).`

/** The limit that is nearest; undefined without limits. */
const fullestShare = async (
  { manager }: NatsLink,
  names: Names,
): Promise<StoredShare | undefined> => {
  const [account, ...infos] = await Promise.all([
    manager.getAccountInfo(),
    ...streamsOf(names)
      .slice(0, 3)
      .map((stream) => manager.streams.info(stream)),
  ])
  const shares = [
    { usedBytes: account.storage, limitBytes: account.limits.max_storage },
    ...infos.map(({ state, config }) => ({
      ...{ usedBytes: state.bytes, limitBytes: config.max_bytes },
    })),
  ]
  return shares
    .filter(({ limitBytes }) => limitBytes > 0)
    .sort((left, right) => right.usedBytes / right.limitBytes - left.usedBytes / left.limitBytes)[0]
}

/** The status of a log that can be away, and that has a limit. What is worse comes first. */
export const withStorageLimit = (
  outage: LogHealth & { close(): void },
  limit: StorageLimit,
): StorageLimit => {
  const worse = (): LogStatus => {
    const status = outage.status()
    return status.state === 'ok' ? limit.status() : status
  }
  return {
    status: worse,
    async checkStatus() {
      await Promise.all([outage.checkStatus(), limit.checkStatus()])
      return worse()
    },
    onStatus(listener) {
      const ends = [outage, limit].map((each) => each.onStatus(() => listener(worse())))
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

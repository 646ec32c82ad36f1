import { type BigIntStats, statSync } from 'node:fs'
import { stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { formatSize } from '../../shared/format-size.ts'
import type { LogFault } from '../log-fault.ts'
import type { LogHealth } from '../log-status.ts'
import { createReserveFile } from './reserve-file.ts'
import { createStatusHolder, type StatusHolder } from './status.ts'
import { stateAfter } from './storage-error.ts'

/** How much of the disk must stay free: bytes, or `auto` for 256 MB, or 5 % of a smaller disk. */
export type MinFree = number | 'auto'

export interface DiskWatchOptions {
  /** The database file. */
  file: string
  /** Undefined: the free space is not watched, and there is no reserve. */
  minFree: MinFree | undefined
  /** Resolves when a small write is durable. */
  tryWrite(): Promise<unknown>
}

/** Finds out whether the disk can store what is written, and whether it can again. */
export interface DiskWatch extends LogHealth {
  /** Reports a committed transaction of about so many bytes. */
  onCommit(bytes: number): void
  /**
   * Reports an error of the database. Returns whether there is more room now, because the reserve was
   * released: then the write may be tried again.
   */
  onError(cause: unknown, fault: LogFault): boolean
  /** Stops watching. */
  close(): void
}

/** How long the free space is not looked at while writes go on. */
const lookMs = 2000
/** How often the watch tries whether the disk works again. */
const retryMs = 1000
/** A disk counts as free again when it has this much more than the least. */
const freeAgain = 1.1
const minLookBytes = 64 * 1024

export const createDiskWatch = (options: DiskWatchOptions): DiskWatch => {
  const { file, minFree, tryWrite } = options
  const holder = createStatusHolder()
  const reserve = createReserveFile(dirname(file))
  const opened = statSync(file, { bigint: true })
  let retrying: NodeJS.Timeout | undefined
  let looking: Promise<void> | undefined
  let lookedAt = Number.NEGATIVE_INFINITY
  /** How much is written since the last look, and at how much the next one is due. */
  let written = 0
  let dueBytes = minLookBytes

  const retry = () => void look()
  const set: StatusHolder['set'] = (state, reason) => {
    holder.set(state, reason)
    const isOver = state === 'ok' || holder.status().state === 'failed'
    if (isOver) clearInterval(retrying)
    else retrying ??= setInterval(retry, retryMs).unref()
    if (isOver) retrying = undefined
  }

  const lookOnce = async (): Promise<void> => {
    lookedAt = performance.now()
    written = 0
    const { state } = holder.status()
    if (state === 'failed') return
    const gone = await whyGone(file, opened)
    if (gone !== undefined) return set('unwritable', gone)
    if (state === 'full' || state === 'unwritable') {
      // A failure reports itself, and the state stays as it is.
      const works = await tryWrite().then(
        () => true,
        () => false,
      )
      if (!works) return
    }
    if (minFree === undefined) return set('ok')
    const { free, wanted } = await spaceOf(dirname(file), minFree)
    dueBytes = Math.max(minLookBytes, (free - wanted) / 4)
    const isEnough = free >= (state === 'ok' ? wanted : wanted * freeAgain)
    if (isEnough && (await reserve.ensure(reserveBytes(wanted)))) set('ok')
    else set('low_space', lowSpace(free, wanted))
  }

  const look = (): Promise<void> => {
    looking ??= lookOnce()
      .catch((cause: unknown) => set('unwritable', `The disk cannot be read (${String(cause)}).`))
      .finally(() => {
        looking = undefined
      })
    return looking
  }

  return {
    status: holder.status,
    onStatus: holder.onStatus,
    async checkStatus() {
      await look()
      return holder.status()
    },
    onCommit(bytes) {
      written += bytes
      if (written >= dueBytes || performance.now() - lookedAt >= lookMs) void look()
    },
    onError(cause, { code, message }) {
      const state = code === 'log_failed' ? 'failed' : stateAfter(cause)
      if (state === 'ok') return false
      const hasRoom = state === 'full' && reserve.release()
      set(state, message)
      return hasRoom
    },
    close() {
      clearInterval(retrying)
    },
  }
}

/** Why the database file is not the one that was opened; undefined when it is. */
const whyGone = async (file: string, opened: BigIntStats): Promise<string | undefined> => {
  try {
    const found = await stat(file, { bigint: true })
    return found.ino === opened.ino && found.dev === opened.dev ? undefined : moved
  } catch (cause) {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
    return isMissing ? moved : undefined
  }
}

const moved =
  'The database was moved or deleted while Sluice runs. Put it back where it was, or restart Sluice.'

/** How many bytes of its disk this user may fill in a directory, and how many should stay free. */
const spaceOf = async (
  directory: string,
  minFree: MinFree,
): Promise<{ free: number; wanted: number }> => {
  const { bavail, blocks, bsize } = await statfs(directory)
  const wanted = minFree === 'auto' ? Math.min(256e6, (blocks * bsize) / 20) : minFree
  // Some file systems do not know their size.
  return { free: blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize, wanted }
}

/** How large the reserve is: enough to close the runs of many sessions. */
const reserveBytes = (wanted: number): number =>
  Math.ceil(Math.min(1024 * 1024, Math.max(256 * 1024, wanted / 2)))

const lowSpace = (free: number, wanted: number): string =>
  `The disk is almost full: ${formatSize(free)} are free, and Sluice needs ${formatSize(wanted)}. Free some space: Sluice continues by itself.`

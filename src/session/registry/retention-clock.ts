import type { Log } from '../../log/log.ts'

/**
 * Whether the clock can be trusted enough to delete what is old. A clock that jumps ahead would make
 * every session old at once. It looks the same as a server that was off for long, so deleting waits
 * for a while after both: time to notice, and to set the clock right.
 */
export interface RetentionClock {
  /** Looks at the clock. Returns until when nothing may be deleted by age; undefined when it may. */
  check(): Promise<ClockCheck>
}

export interface ClockCheck {
  /** Until when nothing is deleted by age, in ms since 1970. */
  heldUntil?: number
  /** By how many ms the clock has just jumped ahead. Only in the check that finds out. */
  jumpedMs?: number
}

export interface RetentionClockOptions {
  settings: Log['settings']
  now(): number
  /** A clock that nobody can set, in ms. */
  monotonic(): number
  /** How old sessions must be to be deleted. */
  ageMs: number
}

const day = 24 * 60 * 60 * 1000
const settingId = 'retention_clock'

export const createRetentionClock = (options: RetentionClockOptions): RetentionClock => {
  const { settings, now, monotonic, ageMs } = options
  /** A machine that slept over a weekend must not count as a jump. */
  const jumpMs = Math.min(7 * day, ageMs)
  const waitMs = Math.min(day, ageMs)
  let last: { at: number; monotonic?: number; heldUntil: number } | undefined

  const load = async () => {
    const [at, heldUntil] = ((await settings.get(settingId))?.value ?? '').split(' ').map(Number)
    return Number.isFinite(at) && at !== undefined && heldUntil !== undefined && at > 0
      ? { at, heldUntil }
      : undefined
  }

  return {
    async check() {
      last ??= await load()
      const at = now()
      const expected = last
        ? last.at + (last.monotonic === undefined ? 0 : monotonic() - last.monotonic)
        : at
      const ahead = at - expected
      const hasJumped = ahead > jumpMs
      // A clock that was set back was wrong before, and is trusted again.
      const before = last && at >= last.at ? last.heldUntil : 0
      const heldUntil = hasJumped ? at + waitMs : before
      last = { at, monotonic: monotonic(), heldUntil }
      await settings.put({ id: settingId, value: `${at} ${heldUntil}` })
      return {
        ...(heldUntil > at && { heldUntil }),
        ...(hasJumped && { jumpedMs: ahead }),
      }
    },
  }
}

import type { Provenance, Totals } from '../../../src/events/index.ts'
import { costSign } from '../../../src/events/usage-sums.ts'

const money = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' })
const smallMoney = new Intl.NumberFormat('en', {
  style: 'currency',
  currency: 'USD',
  minimumFractionDigits: 4,
})
const whole = new Intl.NumberFormat('en')
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' })
const date = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' })

const exactMoney = new Intl.NumberFormat('en', {
  style: 'currency',
  currency: 'USD',
  maximumFractionDigits: 6,
})

/** A cost below this is not nothing, but too small for four digits. */
const smallestShown = 0.0001

/** An amount in US dollars; a dash if it is unknown. */
export const formatCost = (usd: number | null | undefined): string => {
  if (usd === null || usd === undefined) return '–'
  if (usd > 0 && usd < smallestShown) return `<${smallMoney.format(smallestShown)}`
  return usd > 0 && usd < 0.1 ? smallMoney.format(usd) : money.format(usd)
}

/** The cost of something in a table; undefined if nobody reported or computed one. */
export const knownCost = (usage: Totals | undefined): string | undefined =>
  usage && usage.costUsd !== null
    ? provenanceSign(usage.provenance.cost) + formatCost(usage.costUsd)
    : undefined

/** A price in US dollars with all its digits: prices are often parts of a cent. */
export const formatPrice = (usd: number): string => exactMoney.format(usd)

/** The sign before an amount that no agent reported, with a blank behind it. */
export const provenanceSign = (provenance: Provenance | null): string => {
  const sign = costSign(provenance)
  return sign && `${sign} `
}

export const formatCount = (count: number): string => whole.format(count)

/** A number of tokens in a few characters: 950, 1.2k, 34k, 1.5M, 2.2B. */
export const formatTokens = (tokens: number): string => {
  if (tokens < 1000) return String(tokens)
  if (tokens < 10_000) return `${trimmed(tokens / 1000)}k`
  if (tokens < 1_000_000) return `${Math.round(tokens / 1000)}k`
  if (tokens < 1_000_000_000) return `${trimmed(tokens / 1_000_000)}M`
  return `${trimmed(tokens / 1_000_000_000)}B`
}

const trimmed = (value: number): string => value.toFixed(1).replace(/\.0$/, '')

/** A duration in at most two units: 340 ms, 2.4 s, 3 min 05 s, 1 h 20 min. */
export const formatDuration = (ms: number): string => {
  if (ms === 0) return '0 s'
  if (ms < 1000) return `${Math.round(ms)} ms`
  const seconds = ms / 1000
  if (seconds < 10) return `${seconds.toFixed(1)} s`
  if (seconds < 60) return `${Math.round(seconds)} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${String(Math.floor(seconds % 60)).padStart(2, '0')} s`
  const hours = `${Math.floor(minutes / 60)} h`
  return minutes % 60 === 0 ? hours : `${hours} ${minutes % 60} min`
}

/** How long something has been going on, in whole seconds; '' in the first second. */
export const formatElapsed = (ms: number): string => {
  if (ms < 1000) return ''
  return ms < 60_000 ? `${Math.floor(ms / 1000)} s` : formatDuration(ms)
}

/** How long ago something happened, in one or two words. */
export const formatAgo = (at: number, now: number): string => {
  const seconds = Math.max(0, (now - at) / 1000)
  if (seconds < 45) return 'now'
  if (seconds < 3600) return `${Math.max(1, Math.floor(seconds / 60))} min`
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`
  return seconds < 7 * 86_400 ? `${Math.floor(seconds / 86_400)} d` : date.format(at)
}

/** The time of day; with the date if it is not today. */
export const formatTime = (at: number, now: number): string =>
  new Date(at).toDateString() === new Date(now).toDateString()
    ? clock.format(at)
    : `${date.format(at)} ${clock.format(at)}`

/** The time left until a moment: 4 s, 1:05, 1 h 20 min. */
export const formatLeft = (until: number, now: number): string => {
  const seconds = Math.max(0, Math.ceil((until - now) / 1000))
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`
}

/** A size in bytes, in the unit that fits. */
export const formatBytes = (bytes: number): string => {
  if (bytes < 1024) return `${bytes} B`
  if (bytes < 1024 * 1024) return `${Math.round(bytes / 1024)} KB`
  return `${trimmed(bytes / (1024 * 1024))} MB`
}

import { createText } from '../inputs/text.ts'

/** Texts, ids and times for generated sessions. The same seed gives the same ones. */
export interface HistoryText {
  /** Prose and code of so many UTF-16 units. */
  units(length: number): string
  between(lowest: number, highest: number): number
  chance(share: number): boolean
  hex(digits: number): string
  uuid(): string
  /** The time of the next line. */
  time(): string
}

/** Slices of one long text: making each text word by word would take longer than reading it. */
const poolLength = 2_000_000

export const createHistoryText = (seed: number, begin: number): HistoryText => {
  const pool = createText(seed).units(poolLength)
  let state = seed >>> 0 || 1
  const random = (): number => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
  const between = (lowest: number, highest: number) =>
    lowest + Math.floor(random() * (highest - lowest + 1))
  const hex = (digits: number): string => {
    let text = ''
    while (text.length < digits)
      text += Math.floor(random() * 2 ** 32)
        .toString(16)
        .padStart(8, '0')
    return text.slice(0, digits)
  }
  let now = begin
  return {
    units: (length) => {
      const at = between(0, poolLength - length - 1)
      // Half a character would be no valid JSON for some readers.
      return pool.slice(at, at + length).toWellFormed()
    },
    between,
    chance: (share) => random() < share,
    hex,
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`,
    time() {
      now += between(5, 400)
      return new Date(now).toISOString()
    },
  }
}

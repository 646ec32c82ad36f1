const plain =
  'the of and a to in is it you that was for on are with as at be this from have or by one had but what all were when we there can an your which their said if do will each about how up out them then she many some so these would other into has more two like him see time could no make than first been its who now people my made over did down only way find use may water long little very after words called just where most know'.split(
    ' ',
  )
const code = [
  'const',
  'return',
  '=>',
  '{ retries: 3 }',
  'await',
  'compute(input)',
  '"quoted"',
  'path\\to',
  'if (!ok)',
  '`line`',
]
/** Not in Latin-1: with one such word, V8 stores the whole string with two bytes per character. */
const wide = ['данные', '数据', '→', '“so”', '🙂', 'λ-term']

/** Makes prose and code, with 2 % of the words outside Latin-1. The same seed gives the same text. */
export const createText = (seed: number) => {
  const random = createRandom(seed)
  const pick = (words: readonly string[]) => words[Math.floor(random() * words.length)] ?? ''
  const word = () => {
    const dice = random()
    if (dice < 0.02) return pick(wide)
    if (dice < 0.12) return pick(code)
    if (dice < 0.15) return '\n'
    return pick(plain)
  }

  /** A text of so many UTF-16 units. A surrogate pair may be split at the end, as agents do. */
  const units = (length: number): string => {
    let text = ''
    while (text.length < length) text += `${word()} `
    return text.slice(0, length)
  }

  return {
    units,
    /** A text in pieces, as a model streams it. */
    deltas(count: number, length: number): string[] {
      const text = units(count * length)
      return Array.from({ length: count }, (_, at) => text.slice(at * length, (at + 1) * length))
    },
    /** A text in the form of a UUID. */
    uuid(): string {
      const part = (digits: number) =>
        Math.floor(random() * 16 ** digits)
          .toString(16)
          .padStart(digits, '0')
      return `${part(8)}-${part(4)}-4${part(3)}-a${part(3)}-${part(8)}${part(4)}`
    },
  }
}
export type Text = ReturnType<typeof createText>

/** The random number generator Mulberry32. */
const createRandom = (seed: number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

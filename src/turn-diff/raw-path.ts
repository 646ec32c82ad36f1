/**
 * A path as git has it: bytes, one character each. They need not be UTF-8, and must come back to git
 * as they were.
 */
export type RawPath = string

export const pathBytes = (raw: RawPath): Buffer => Buffer.from(raw, 'latin1')
export const rawOf = (text: string): RawPath => Buffer.from(text).toString('latin1')

/** For people: what is not UTF-8 becomes a mark. */
export const readable = (raw: RawPath): string => pathBytes(raw).toString('utf8')

/** The records of an output with `-z`. */
export const recordsOf = (output: Buffer): RawPath[] => {
  const records = output.toString('latin1').split('\0')
  if (records.at(-1) === '') records.pop()
  return records
}

/** Paths as an input with `-z`. */
export const inputOf = (paths: readonly RawPath[]): Buffer =>
  pathBytes(paths.map((path) => `${path}\0`).join(''))

import type { Entry } from '../../../src/transcript/index.ts'

/** Whether an entry is a notice that shows this error. */
export const isErrorNotice = (entry: Entry, error: string | undefined): boolean =>
  entry.kind === 'notice' && entry.level === 'error' && entry.text === error

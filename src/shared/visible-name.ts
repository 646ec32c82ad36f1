import { revealedString, revealText } from './revealed-text.ts'

/** A file name on one line, without characters that a screen hides or obeys. */
export const visibleName = (name: string): string =>
  revealedString(revealText(name.replaceAll('\n', '\\n')).parts)

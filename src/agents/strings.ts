/**
 * A lone high surrogate at the end of a delta waits for its other half in the next one, so that no
 * event holds half a character (UTF-8 could not carry it).
 */
export const endsInHalf = (text: string): boolean => {
  const last = text.charCodeAt(text.length - 1)
  return last >= 0xd800 && last <= 0xdbff
}

/** `startsWith` for long strings, on which V8’s own compares one character at a time. */
export const beginsWith = (text: string, part: string): boolean =>
  text.length >= part.length && text.slice(0, part.length) === part

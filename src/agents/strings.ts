/** Whether a text ends in the first half of a surrogate pair: UTF-8 cannot carry it alone. */
export const endsInHalfPair = (text: string): boolean => {
  const last = text.charCodeAt(text.length - 1)
  return last >= 0xd800 && last <= 0xdbff
}

/** `startsWith` for long strings. V8’s own compares one character at a time. */
export const beginsWith = (text: string, part: string): boolean =>
  text.length >= part.length && text.slice(0, part.length) === part

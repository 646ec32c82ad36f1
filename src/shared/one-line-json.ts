/**
 * JSON that every reader sees as one line. JSON may hold U+0085, U+2028 and U+2029 as they are, but
 * many readers of lines cut there, such as Python’s `splitlines` and Node’s `readline`. Escaped, they
 * have the same value. Three searches: a regular expression takes four times as long.
 */
export const oneLineJson = (json: string): string =>
  json.includes('\u0085') || json.includes('\u2028') || json.includes('\u2029')
    ? json.replace(lineBreaks, (found) => escapes[found] ?? found)
    : json

const lineBreaks = /[\u0085\u2028\u2029]/g
const escapes: Readonly<Record<string, string>> = {
  '\u0085': '\\u0085',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
}

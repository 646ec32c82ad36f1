// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals are driven by control characters.
const escapes = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])/g

/** What a terminal would show: without colours, and only the last state of a line written over. */
export const plainText = (text: string): string => {
  const plain = text.replace(escapes, '').replace(/\r\n/g, '\n')
  if (!plain.includes('\r')) return plain
  return plain.replace(/^.*\r(?=[^\n])/gm, '').replaceAll('\r', '')
}

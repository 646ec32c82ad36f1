// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal output contains control characters.
const escapes = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])/g

/** Terminal output as plain text: without colours, and only the final state of overwritten lines. */
export const plainText = (text: string): string => {
  const plain = text.replace(escapes, '').replace(/\r\n/g, '\n')
  if (!plain.includes('\r')) return plain
  return plain.replace(/^.*\r(?=[^\n])/gm, '').replaceAll('\r', '')
}

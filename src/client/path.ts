/** A path with its values encoded: path`sessions/${id}/prompt`. */
export const path = (parts: TemplateStringsArray, ...values: readonly string[]): string =>
  parts.reduce((before, part, index) => before + encodeURIComponent(values[index - 1] ?? '') + part)

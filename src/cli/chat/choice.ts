/** Which of some labels a line means: by name, by number, or by a letter that only one begins with. */
export const chosenBy = (line: string, labels: readonly string[]): string | undefined => {
  const named = labels.find((label) => isSame(label, line))
  if (named !== undefined) return named
  if (isNumber(line)) return labels[Number(line) - 1]
  const begun = labels.filter((label) => isSame(label.charAt(0), line))
  return begun.length === 1 ? begun[0] : undefined
}

/** A line that is no answer, but a key or a number missed: own words are longer. */
export const isSlip = (line: string, labels: readonly string[]): boolean =>
  line.length < 2 || (isNumber(line) && line.length <= String(labels.length).length)

/** What is typed for no answer at all. */
export const noAnswer = '0'

const isSame = (label: string, line: string): boolean =>
  label.trim().toLowerCase() === line.toLowerCase()

const isNumber = (line: string): boolean => /^\d+$/.test(line)

/** The label that a line selects: by name, by number, or by a first letter that only one has. */
export const chosenBy = (line: string, labels: readonly string[]): string | undefined => {
  const named = labels.find((label) => isSame(label, line))
  if (named !== undefined) return named
  if (isNumber(line)) return labels[Number(line) - 1]
  const begun = labels.filter((label) => isSame(label.charAt(0), line))
  return begun.length === 1 ? begun[0] : undefined
}

/** Whether a line is a typo rather than an answer: a single letter, or a number out of range. */
export const isSlip = (line: string, labels: readonly string[]): boolean =>
  line.length < 2 || (isNumber(line) && line.length <= String(labels.length).length)

/** What a person types to give no answer. */
export const noAnswerKey = '0'

const isSame = (label: string, line: string): boolean =>
  label.trim().toLowerCase() === line.toLowerCase()

const isNumber = (line: string): boolean => /^\d+$/.test(line)

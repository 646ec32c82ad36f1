/** What an agent says must not steer the terminal. */
export const plain = (text: string): string => text.replaceAll(/\p{Cc}/gu, ' ')

/** A text in its own lines. */
export const textLines = (text: string, indent = '  '): string[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => `${indent}${plain(line)}`)

/** All of them, each under its name: nobody allows what cannot be read. */
export const argumentLines = (args: unknown): string[] => {
  if (typeof args !== 'object' || args === null) return []
  return Object.entries(args).flatMap(([name, value]) => {
    const [first = '', ...more] = textLines(textOf(value), '')
    if (more.length === 0) return [`  ${plain(name)}: ${first}`]
    return [`  ${plain(name)}:`, ...[first, ...more].map((line) => `    ${line}`)]
  })
}

/** What can be chosen, by number. */
export const choiceLines = (choices: readonly string[]): string[] => {
  const width = String(choices.length).length
  return choices.map((choice, index) => `  ${String(index + 1).padStart(width)} ${plain(choice)}`)
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '')

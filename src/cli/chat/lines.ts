/** Replaces control characters: text from an agent must not control the terminal. */
export const withoutControls = (text: string): string => text.replaceAll(/\p{Cc}/gu, ' ')

/** A text as indented lines. */
export const textLines = (text: string, indent = '  '): string[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => `${indent}${withoutControls(line)}`)

/** Every argument under its name, in full: nobody should allow what they cannot read. */
export const argumentLines = (args: unknown): string[] => {
  if (typeof args !== 'object' || args === null) return []
  return Object.entries(args).flatMap(([name, value]) => {
    const [first = '', ...more] = textLines(textOf(value), '')
    if (more.length === 0) return [`  ${withoutControls(name)}: ${first}`]
    return [`  ${withoutControls(name)}:`, ...[first, ...more].map((line) => `    ${line}`)]
  })
}

/** The choices, numbered. */
export const choiceLines = (choices: readonly string[]): string[] => {
  const width = String(choices.length).length
  return choices.map(
    (choice, index) => `  ${String(index + 1).padStart(width)} ${withoutControls(choice)}`,
  )
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '')

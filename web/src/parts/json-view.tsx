import { Code } from '../highlight/code.tsx'
import { formatCount } from './format.ts'

/** A value as JSON, where there is no better view of it. Only the beginning of a long one is shown. */
export const JsonView = ({ value }: { value: unknown }) => {
  const text = typeof value === 'string' ? value : jsonOf(value)
  const hidden = Math.max(0, text.length - longestJson)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled must be reachable by keyboard.
    <pre className="json" tabIndex={0}>
      <Code code={hidden > 0 ? text.slice(0, longestJson) : text} language="json" />
      {hidden > 0 && `\n… ${formatCount(hidden)} more characters`}
    </pre>
  )
}

/** How much of a value is shown. */
const longestJson = 100_000

/** With indents, unless those would be most of the text: each level adds to the indent of its lines. */
const jsonOf = (value: unknown): string => {
  const plain = JSON.stringify(value) ?? 'undefined'
  if (plain.length > longestJson) return plain
  const indented = JSON.stringify(value, null, 2) ?? 'undefined'
  return indented.length > 10_000 + 4 * plain.length ? plain : indented
}

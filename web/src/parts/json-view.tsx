import { Code } from '../highlight/code.tsx'

/** A value as JSON, where there is no better view of it. */
export const JsonView = ({ value }: { value: unknown }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled must be reachable by keyboard.
  <pre className="json" tabIndex={0}>
    <Code code={jsonOf(value)} language="json" />
  </pre>
)

const jsonOf = (value: unknown): string => {
  if (typeof value === 'string') return value
  return JSON.stringify(value, null, 2) ?? 'undefined'
}

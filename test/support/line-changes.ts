import fc from 'fast-check'
import { isFields } from '../../src/shared/fields.ts'

/** A change to a recording, with numbers in place of random choices. */
export type LineChange = (lines: string[], at: number, to: number, value: unknown) => string[]

/** Lines that are lost, repeated, moved or different. */
export const lineChanges: readonly LineChange[] = [
  (lines, at) => lines.toSpliced(at % lines.length, 1),
  (lines, at) => lines.toSpliced(at % lines.length, 0, lines[at % lines.length] ?? ''),
  (lines, at, to) => {
    const [moved = ''] = lines.slice(at % lines.length)
    return lines.toSpliced(at % lines.length, 1).toSpliced(to % lines.length, 0, moved)
  },
  (lines, at) => [...lines.slice(0, at % lines.length), ...lines],
  (lines, at) => lines.slice(at % lines.length),
  (lines, at, to, value) => withField(lines, at % lines.length, to, () => value),
  (lines, at, to) => withField(lines, at % lines.length, to, () => undefined),
  (lines, at, to) =>
    withField(lines, at % lines.length, to, (old) => (isFields(old) ? { new: 1, ...old } : old)),
]

/** Replaces one value somewhere in a line. */
const withField = (lines: string[], at: number, to: number, change: (old: unknown) => unknown) => {
  let count = 0
  const target = 1 + (to % (lines[at] ?? '').split(':').length)
  const line = JSON.stringify(JSON.parse(lines[at] ?? ''), (_, value: unknown) => {
    count += 1
    return count - 1 === target ? change(value) : value
  })
  return lines.toSpliced(at, 1, line ?? '')
}

const odd = fc.constantFrom(
  ...[null, 42, -1, '', 'x', true, [], {}, [null], { a: 1 }],
  ...[-5, 1e300, 0.5, 'NaN', '-1', '__proto__', 'constructor'],
)

/** One of the changes, with its choices. */
export const lineChange = fc.tuple(fc.constantFrom(...lineChanges), fc.nat(), fc.nat(), odd)

/** The lines after some changes. */
export const changedLines = (
  lines: readonly string[],
  steps: readonly (readonly [LineChange, number, number, unknown])[],
): string[] => {
  let changed = [...lines]
  for (const [change, at, to, value] of steps)
    if (changed.length > 0) changed = change(changed, at, to, value)
  return changed
}

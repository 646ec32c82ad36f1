/** The fields of a value that came from an agent; none if it has none. */
export const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  isFields(value) ? value : {}

/** Whether it is an object with fields. */
export const isFields = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The first of some fields that holds a text. */
export const textIn = (value: unknown, ...names: readonly string[]): string | undefined => {
  const fields = fieldsOf(value)
  for (const name of names) {
    const found = fields[name]
    if (typeof found === 'string') return found
  }
  return undefined
}

/** The first of some fields that holds a number. */
export const numberIn = (value: unknown, ...names: readonly string[]): number | undefined => {
  const fields = fieldsOf(value)
  for (const name of names) {
    const found = fields[name]
    if (typeof found === 'number') return found
  }
  return undefined
}

/** The items of a list; none if it is no list. */
export const listIn = (value: unknown, name: string): readonly unknown[] => {
  const found = fieldsOf(value)[name]
  return Array.isArray(found) ? found : []
}

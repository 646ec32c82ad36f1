import { fieldsOf } from '../../../src/shared/fields.ts'

/** The value of the first of these fields that is a string. */
export const textIn = (value: unknown, ...names: readonly string[]): string | undefined => {
  const fields = fieldsOf(value)
  for (const name of names) {
    const found = fields[name]
    if (typeof found === 'string') return found
  }
  return undefined
}

/** The value of the first of these fields that is a number. */
export const numberIn = (value: unknown, ...names: readonly string[]): number | undefined => {
  const fields = fieldsOf(value)
  for (const name of names) {
    const found = fields[name]
    if (typeof found === 'number') return found
  }
  return undefined
}

/** The items of a field that is a list; none if it is not. */
export const listIn = (value: unknown, name: string): readonly unknown[] => {
  const found = fieldsOf(value)[name]
  return Array.isArray(found) ? found : []
}

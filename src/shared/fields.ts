/** A JSON object with unknown fields. */
export type Fields = { readonly [key: string]: unknown }

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const none: Fields = {}

// Each function below returns the value if it has the type, and otherwise undefined or empty.

export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : none)

export const stringOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined

/** The first of these fields that holds a string. */
export const stringIn = (value: unknown, ...names: readonly string[]): string | undefined => {
  const fields = fieldsOf(value)
  for (const name of names) {
    const found = fields[name]
    if (typeof found === 'string') return found
  }
  return undefined
}

/**
 * The value under a key that is not ours: a name that an agent, a repository or a caller chose.
 * `record[key]` would also find what every object inherits, such as `constructor`.
 */
export const ownValue = <Value>(
  record: Readonly<Record<string, Value>>,
  key: string,
): Value | undefined => (Object.hasOwn(record, key) ? record[key] : undefined)

export const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined

/** A number that is not negative, and not larger than what can be counted exactly. */
export const countOf = (value: unknown): number | undefined =>
  typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER ? value : undefined

export const flagOf = (value: unknown): boolean | undefined =>
  typeof value === 'boolean' ? value : undefined

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

export const stringsOf = (value: unknown): string[] =>
  listOf(value).filter((item): item is string => typeof item === 'string')

type Defined<Value> = {
  [Key in keyof Value as undefined extends Value[Key] ? never : Key]: Value[Key]
} & {
  [Key in keyof Value as undefined extends Value[Key] ? Key : never]?: Exclude<
    Value[Key],
    undefined
  >
}

/** The object without its undefined fields. */
export function defined<Value extends object>(value: Value): Defined<Value>
export function defined(value: { readonly [key: string]: unknown }): object {
  const fields: { [key: string]: unknown } = {}
  for (const key in value) if (value[key] !== undefined) fields[key] = value[key]
  return fields
}

/** A JSON object of which nothing is known yet. */
export type Fields = { readonly [key: string]: unknown }

/** Readers for what an agent wrote: the field in its type, or undefined. Never a throw. */
export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const none: Fields = {}

export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : none)

export const stringOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined

export const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined

/** A count: a number that is not negative. */
export const countOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined

export const flagOf = (value: unknown): boolean | undefined =>
  typeof value === 'boolean' ? value : undefined

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

export const stringsOf = (value: unknown): string[] =>
  listOf(value).filter((item): item is string => typeof item === 'string')

type Given<Value> = {
  [Key in keyof Value as undefined extends Value[Key] ? never : Key]: Value[Key]
} & {
  [Key in keyof Value as undefined extends Value[Key] ? Key : never]?: Exclude<
    Value[Key],
    undefined
  >
}

/** The object without its undefined fields: what was not said is absent. */
export function defined<Value extends object>(value: Value): Given<Value>
export function defined(value: { readonly [key: string]: unknown }): object {
  const kept: { [key: string]: unknown } = {}
  for (const key in value) if (value[key] !== undefined) kept[key] = value[key]
  return kept
}

import { z } from 'zod'
import * as api from '../../src/api/index.ts'
import * as events from '../../src/events/index.ts'
import * as log from '../../src/log/index.ts'
import type { JsonSchema } from './schema.ts'

/** The rooms whose exported schemas become TypeScript types. */
export const typedRooms = { events, api, log } as const
export type TypedRoom = keyof typeof typedRooms

/** A schema that becomes a TypeScript type. */
export interface NamedSchema {
  name: string
  schema: z.ZodType
  /** The schema as JSON Schema, with the names of other types as references. */
  definition: JsonSchema
  room: TypedRoom
  /** The exported constant; undefined for a variant of a union, which is not exported. */
  constant: string | undefined
}

/** Every schema that becomes a type, by the name of the type. */
export const namedSchemas = (): Map<string, NamedSchema> => {
  const found = findSchemas()
  const registry = z.registry<{ id: string }>()
  for (const { name, schema } of found) registry.add(schema, { id: name })
  const { schemas } = z.toJSONSchema(registry, { uri: (id) => id, unrepresentable: 'any' })
  return new Map(
    found.map((each) => {
      const definition = schemas[each.name]
      if (!definition) throw new Error(`${each.name} has no JSON Schema`)
      return [each.name, { ...each, definition }]
    }),
  )
}

type FoundSchema = Omit<NamedSchema, 'definition'>

/** Exported schemas by name, each union followed by its variants. A schema belongs to one room. */
const findSchemas = (): FoundSchema[] => {
  const found = new Map<z.ZodType, FoundSchema>()
  for (const room of ['events', 'api', 'log'] as const) {
    const exported = exportsOf(room)
    const constants = new Set(exported.map(({ schema }) => schema))
    for (const each of exported) {
      if (!found.has(each.schema)) found.set(each.schema, each)
      for (const variant of variantsOf(each))
        if (!constants.has(variant.schema) && !found.has(variant.schema))
          found.set(variant.schema, variant)
    }
  }
  const all = [...found.values()]
  const twice = all.find((each, index) => all.findIndex(({ name }) => name === each.name) < index)
  if (twice) throw new Error(`two schemas have the name ${twice.name}`)
  return all
}

const exportsOf = (room: TypedRoom): FoundSchema[] =>
  Object.entries(typedRooms[room])
    // Not every module loader lists the exports of a module in the same order.
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .flatMap(([constant, schema]) =>
      schema instanceof z.ZodType && !isPrimitive(schema)
        ? [{ name: capitalize(constant), schema, room, constant }]
        : [],
    )

/** A string or a number needs no type of its own. */
const isPrimitive = (schema: z.ZodType): boolean =>
  schema instanceof z.ZodString || schema instanceof z.ZodNumber || schema instanceof z.ZodOptional

/** The end of the variants’ names, by the name of the union. Default: `Event`. */
const suffixes: Readonly<Record<string, string>> = { AssistantMessageEvent: 'Update' }

const variantsOf = ({ name, schema, room }: FoundSchema): FoundSchema[] => {
  if (!(schema instanceof z.ZodDiscriminatedUnion)) return []
  return schema.options.flatMap((option) => {
    if (!(option instanceof z.ZodObject) || !(option.shape.type instanceof z.ZodLiteral)) return []
    const words = String(option.shape.type.value).split('_').map(capitalize)
    const variant = words.join('') + (suffixes[name] ?? 'Event')
    return [{ name: variant, schema: option, room, constant: undefined }]
  })
}

const capitalize = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

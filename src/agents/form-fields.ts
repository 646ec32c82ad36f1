import { numberIn } from '../events/answer-problem.ts'
import type { AnswerFormat, ApprovalQuestion } from '../events/types.ts'
import {
  defined,
  type Fields,
  fieldsOf,
  isFields,
  listOf,
  numberOf,
  stringOf,
  stringsOf,
} from '../shared/fields.ts'

/** A field of a form. */
export interface FormField {
  readonly name: string
  readonly question: ApprovalQuestion
  /** The value that the agent gets for an answer. */
  toContent(answer: readonly string[]): ContentValue | undefined
}

/** A value in the response to a form. */
export type ContentValue = string | number | boolean | string[]

/** Larger forms cannot be read by a person. */
const mostFields = 100
const mostOptions = 500

/** The fields of a form; undefined if one that is required, or too many, cannot be shown. */
export const formFields = (schema: Fields): FormField[] | undefined => {
  const required = new Set(stringsOf(schema.required))
  const properties = Object.entries(fieldsOf(schema.properties))
  if (properties.length > mostFields) return undefined
  const names = new Set<string>()
  const fields: FormField[] = []
  for (const [name, value] of properties) {
    const isOptional = !required.has(name)
    const field = fieldOf(name, fieldsOf(value), isOptional)
    if (!field && !isOptional) return undefined
    if (field) fields.push(withOwnName(field, names))
  }
  return fields
}

/** Answers refer to the text of a question, so no two may have the same. */
const withOwnName = (field: FormField, names: Set<string>): FormField => {
  const { question } = field.question
  const own = names.has(question) ? `${question} (${field.name})` : question
  names.add(own)
  return { ...field, question: { ...field.question, question: own } }
}

const fieldOf = (name: string, schema: Fields, isOptional: boolean): FormField | undefined => {
  const about = { ...wordsOf(name, schema), isOptional }
  switch (schema.type) {
    case 'string':
      return choicesIn(schema) ? choiceField(name, schema, about) : textField(name, schema, about)
    case 'number':
    case 'integer':
      return numberField(name, schema, { ...about, format: schema.type })
    case 'boolean':
      return booleanField(name, schema, about)
    case 'array':
      return listField(name, schema, about)
    default:
      return undefined
  }
}

type About = Pick<ApprovalQuestion, 'question' | 'header' | 'isOptional' | 'format'>

const wordsOf = (name: string, { title, description, pattern }: Fields): About => {
  const label = nonEmpty(title) ?? name
  const text = nonEmpty(description)
  // An expression of a stranger can take for ever, so only the agent tries it.
  const rule = nonEmpty(pattern)
  const end = rule === undefined ? '' : ` (pattern: ${rule})`
  return text === undefined
    ? { question: `${label}${end}` }
    : { question: `${text}${end}`, header: label }
}

const nonEmpty = (value: unknown): string | undefined => stringOf(value) || undefined

const textField = (name: string, schema: Fields, about: About): FormField => ({
  name,
  question: {
    ...about,
    options: [],
    ...defined({
      format: textFormats.find((each) => each === schema.format),
      minimum: numberOf(schema.minLength),
      maximum: numberOf(schema.maxLength),
      prefill: prefillOf(stringOf(schema.default)),
    }),
  },
  toContent: ([text = '']) => text || undefined,
})

const textFormats = ['email', 'uri', 'date', 'date-time'] as const satisfies AnswerFormat[]

const numberField = (name: string, schema: Fields, about: About): FormField => ({
  name,
  question: {
    ...about,
    options: [],
    ...defined({
      minimum: numberOf(schema.minimum),
      maximum: numberOf(schema.maximum),
      prefill: prefillOf(numberOf(schema.default)?.toString()),
    }),
  },
  toContent: ([text = '']) => numberIn(text),
})

const booleanField = (name: string, schema: Fields, about: About): FormField => ({
  name,
  question: {
    ...about,
    options: [{ label: 'Yes' }, { label: 'No' }],
    onlyOptions: true,
    ...(typeof schema.default === 'boolean' && { prefill: [schema.default ? 'Yes' : 'No'] }),
  },
  toContent: ([label]) => (label === undefined ? undefined : label === 'Yes'),
})

const choiceField = (name: string, schema: Fields, about: About): FormField | undefined => {
  const choices = choicesIn(schema)
  if (!choices) return undefined
  const { options, constOf, labelOf } = choices
  const prefill = prefillOf(labelOf(schema.default))
  return {
    name,
    question: { ...about, options, onlyOptions: true, ...defined({ prefill }) },
    toContent: ([label]) => (label === undefined ? undefined : constOf(label)),
  }
}

const listField = (name: string, schema: Fields, about: About): FormField | undefined => {
  const choices = choicesIn(fieldsOf(schema.items))
  if (!choices) return undefined
  const { options, constOf, labelOf } = choices
  const chosen = listOf(schema.default).flatMap((each) => labelOf(each) ?? [])
  return {
    name,
    question: {
      ...about,
      options,
      onlyOptions: true,
      multiSelect: true,
      ...defined({ minimum: numberOf(schema.minItems), maximum: numberOf(schema.maxItems) }),
      ...(chosen.length > 0 && { prefill: chosen }),
    },
    toContent: (labels) =>
      labels.length === 0 ? undefined : labels.flatMap((label) => constOf(label) ?? []),
  }
}

const prefillOf = (text: string | undefined): string[] | undefined =>
  text === undefined || text === '' ? undefined : [text]

interface Choices {
  options: ApprovalQuestion['options']
  /** The value behind a label. */
  constOf(label: string): string | undefined
  labelOf(value: unknown): string | undefined
}

/** The values to choose from, each under a label of its own; undefined if there are none. */
const choicesIn = (schema: Fields): Choices | undefined => {
  const listed = titledIn(schema) ?? namedIn(schema)
  if (!listed || listed.length === 0 || listed.length > mostOptions) return undefined
  const values = new Map<string, string>()
  const options = listed.map(({ value, title, description }) => {
    const label = values.has(title) ? `${title} (${value})` : title
    values.set(label, value)
    return { label, ...defined({ description }) }
  })
  return {
    options,
    constOf: (label) => values.get(label),
    labelOf: (value) => [...values].find(([, each]) => each === value)?.[0],
  }
}

interface Choice {
  value: string
  title: string
  description?: string | undefined
}

const titledIn = ({ oneOf, anyOf }: Fields): Choice[] | undefined => {
  const list = Array.isArray(oneOf) ? oneOf : anyOf
  if (!Array.isArray(list)) return undefined
  return list.filter(isFields).flatMap((each) => {
    const value = stringOf(each.const)
    if (value === undefined) return []
    return [
      { value, title: nonEmpty(each.title) ?? value, description: nonEmpty(each.description) },
    ]
  })
}

/** `enumNames` is an older way to write titles. */
const namedIn = (schema: Fields): Choice[] | undefined => {
  if (!Array.isArray(schema.enum)) return undefined
  const titles = listOf(schema.enumNames)
  return stringsOf(schema.enum).map((value, at) => ({
    value,
    title: nonEmpty(titles[at]) ?? value,
  }))
}

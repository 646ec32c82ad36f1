import { handwritten, preferredContent, preferredRecordings } from './examples.ts'
import { fieldTable, typeText } from './fields.ts'
import { aboutEnvelope, groups, guarantees, opening } from './introduction.ts'
import { code, fence, link, table } from './markdown.ts'
import { inOrder, type Picked, pick } from './pick.ts'
import type { Recorded } from './recorded.ts'
import { type JsonSchema, wireEvents } from './schema.ts'
import { shapes, valuesOf } from './shapes.ts'
import { variants } from './variants.ts'

type Definitions = Readonly<Record<string, JsonSchema>>

const longestExample = 460
const envelopeFields = new Set(['type', 'sessionId', 'seq', 'timestamp', 'parentToolCallId'])
const onlyType = new Set(['type'])

/** The reference of all events, as Markdown. */
export const eventsPage = (definitions: Definitions, recordings: readonly Recorded[]): string => {
  const recorded = inOrder(recordings, preferredRecordings)
  return `${[
    opening,
    contents(),
    aboutEnvelope,
    // This event has no fields of its own, so its table is that of the envelope.
    fieldTable(definitionOf(definitions, 'agent_start'), onlyType),
    guarantees,
    ...groups.flatMap(({ title, about, types }) => [
      `## ${title}`,
      about,
      ...types.flatMap((type) => eventSection(type, definitionOf(definitions, type), recorded)),
    ]),
    '## Shapes',
    'Objects and values that several events share.',
    ...Object.keys(shapes).flatMap((name) =>
      shapeSection(name, definitionOf(definitions, name), recorded),
    ),
  ]
    .filter((part) => part !== undefined)
    .join('\n\n')}\n`
}

const contents = (): string =>
  [
    '## Contents',
    '',
    '- [Envelope](#envelope)',
    '- [Guarantees](#guarantees): [end of a run](#end-of-a-run), [delivery of messages](#delivery-of-messages), [withdrawn messages](#withdrawn-messages), [large payloads](#large-payloads), [forward compatibility](#forward-compatibility)',
    ...groups.map(({ title, types }) => contentsLine(title, types)),
    contentsLine('Shapes', Object.keys(shapes)),
  ].join('\n')

const contentsLine = (title: string, names: readonly string[]): string =>
  `- [${title}](#${title.toLowerCase().replaceAll(' ', '-')}): ${names.map(link).join(', ')}`

const eventSection = (type: string, definition: JsonSchema, recorded: readonly Recorded[]) => {
  const isStamped = definition.properties?.timestamp !== undefined
  return [
    `### ${type}`,
    definition.description,
    fieldTable(definition, isStamped ? envelopeFields : onlyType) ??
      'Has only the fields of the envelope.',
    ...exampleOf(type, recorded),
  ]
}

const exampleOf = (type: string, recorded: readonly Recorded[]): string[] => {
  const found = pick(eventsOf(type, recorded), longestExample, preferredContent[type])
  const value = found?.value ?? handwritten[type]
  const problem = wireEvents.get(type)?.safeParse(value).error
  if (problem) throw new Error(`the example of ${type} is not valid: ${problem.message}`)
  return [found ? source(found) : 'Example, written by hand:', fence(value)]
}

const source = ({ from }: Picked) => `Example from ${code(from)}:`

const eventsOf = function* (type: string, recorded: readonly Recorded[]): Generator<Picked> {
  for (const { name, events } of recorded)
    for (const event of events) if (event.type === type) yield { value: event, from: name }
}

const shapeSection = (name: string, definition: JsonSchema, recorded: readonly Recorded[]) => [
  `### ${name}`,
  definition.description,
  valueTable(name) ??
    variants(name, definition, recorded) ??
    fieldTable(definition) ??
    `One of ${typeText(definition)}.`,
]

const valueTable = (name: string): string | undefined => {
  const values = valuesOf(name)
  if (!values) return undefined
  const rows = Object.entries(values).map(([value, meaning]) => [code(value), meaning])
  return table(['Value', 'Meaning'], rows)
}

const definitionOf = (definitions: Definitions, name: string): JsonSchema => {
  const definition = definitions[name]
  if (!definition) throw new Error(`the schema has no ${name}`)
  return definition
}

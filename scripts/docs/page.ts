import { byHand, firstChoice, telling } from './examples.ts'
import { fieldTable, typeText } from './fields.ts'
import { aboutEnvelope, groups, guarantees, opening } from './introduction.ts'
import { code, fence, link, table } from './markdown.ts'
import { inOrder, type Picked, pick } from './pick.ts'
import type { Recorded } from './recorded.ts'
import { type JsonSchema, wireEvents } from './schema.ts'
import { aboutShape, shapes, wordsOf } from './shapes.ts'
import { variants } from './variants.ts'

type Definitions = Readonly<Record<string, JsonSchema>>

const longestExample = 460
const envelopeFields = new Set(['type', 'sessionId', 'seq', 'timestamp', 'parentToolCallId'])
const onlyType = new Set(['type'])

/** The reference of all events as Markdown. */
export const eventsPage = (definitions: Definitions, recordings: readonly Recorded[]): string => {
  const recorded = inOrder(recordings, firstChoice)
  return `${[
    opening,
    contents(),
    aboutEnvelope,
    // An event without fields of its own shows what all have.
    fieldTable(definitionOf(definitions, 'agent_start'), onlyType),
    guarantees,
    ...groups.flatMap(({ title, about, types }) => [
      `## ${title}`,
      about,
      ...types.flatMap((type) => eventSection(type, definitionOf(definitions, type), recorded)),
    ]),
    '## Shapes',
    'The parts of events that have a name.',
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
    '- [The envelope](#the-envelope)',
    '- [What always holds](#what-always-holds): [the end of a run](#the-end-of-a-run), [withdrawn messages](#withdrawn-messages), [large payloads](#large-payloads), [what is not known yet](#what-is-not-known-yet)',
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
      'It has no fields but those of the envelope.',
    ...exampleOf(type, recorded),
  ]
}

const exampleOf = (type: string, recorded: readonly Recorded[]): string[] => {
  const found = pick(eventsOf(type, recorded), longestExample, telling[type])
  const value = found?.value ?? byHand[type]
  const problem = wireEvents.get(type)?.safeParse(value).error
  if (problem) throw new Error(`the example of ${type} is not valid: ${problem.message}`)
  return [found ? source(found) : 'An example, written by hand:', fence(value)]
}

const source = ({ from }: Picked) => `From ${code(from)}:`

const eventsOf = function* (type: string, recorded: readonly Recorded[]): Generator<Picked> {
  for (const { name, events } of recorded)
    for (const event of events) if (event.type === type) yield { value: event, from: name }
}

const shapeSection = (name: string, definition: JsonSchema, recorded: readonly Recorded[]) => [
  `### ${name}`,
  aboutShape(name) ?? definition.description,
  wordTable(name) ??
    variants(name, definition, recorded) ??
    fieldTable(definition) ??
    `One of ${typeText(definition)}.`,
]

const wordTable = (name: string): string | undefined => {
  const words = wordsOf(name)
  if (!words) return undefined
  const rows = Object.entries(words).map(([value, why]) => [code(value), why])
  return table(['Value', 'Meaning'], rows)
}

const definitionOf = (definitions: Definitions, name: string): JsonSchema => {
  const definition = definitions[name]
  if (!definition) throw new Error(`the schema has no ${name}`)
  return definition
}

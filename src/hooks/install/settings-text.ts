import type { HookEntries } from '../../agents/hooks.ts'
import { Fault } from '../../shared/fault.ts'
import { type Fields, fieldsOf, isFields, listOf, stringOf } from '../../shared/fields.ts'
import {
  cutsFor,
  type Insertion,
  insertInto,
  layoutOf,
  withInsertions,
  withoutParts,
} from './json-edits.ts'
import {
  itemPlaces,
  type JsonMember,
  type JsonPlace,
  memberPlace,
  memberPlaces,
  rootPlace,
} from './json-places.ts'

/** Groups of hooks by the event of the agent, as its settings have them. */
export type HookGroups = Readonly<Record<string, readonly unknown[]>>

/** Settings after an edit, with what was added to the text before. */
export interface EditedSettings {
  text: string
  insertions: Insertion[]
}

/** A part of the command of every hook of Sluice: the name of the program. */
export const hookProgramName = 'sluice-hook.js'

/** The settings in a text. Throws a `Fault` if it is no JSON, or if its hooks have another form. */
export const parseSettings = (text: string, path: string): Fields => {
  let settings: unknown
  try {
    settings = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (cause) {
    throw new Fault(
      'file_not_readable',
      `${path} is no valid JSON, so it stays as it is: ${cause instanceof Error ? cause.message : ''}`,
      { cause },
    )
  }
  const { hooks } = fieldsOf(settings)
  const events = fieldsOf(hooks)
  const isWellFormed =
    isFields(settings) &&
    (hooks === undefined || isFields(hooks)) &&
    Object.values(events).every((groups) => Array.isArray(groups))
  if (!isFields(settings) || !isWellFormed)
    throw new Fault(
      'file_not_readable',
      `${path} stays as it is: its “hooks” must be an object with a list for each event.`,
    )
  return settings
}

/** Adds groups of hooks. Everything else stays byte for byte. The text must have been parsed. */
export const addHooks = (text: string, groups: HookGroups): EditedSettings => {
  const insertions = insertionsFor(text, Object.entries(groups))
  return { text: withInsertions(text, insertions), insertions }
}

const insertionsFor = (
  text: string,
  groups: readonly (readonly [string, readonly unknown[]])[],
): Insertion[] => {
  const layout = layoutOf(text)
  const root = rootPlace(text)
  const space = layout.indent === undefined ? '' : ' '
  // Each on one line, so that a person can see at once what is added.
  const member = (event: string, list: readonly unknown[]): string =>
    `${JSON.stringify(event)}:${space}${JSON.stringify(list)}`
  const hooks = memberPlace(text, root, 'hooks')?.value
  if (!hooks) {
    const members = groups.map(([event, list]) => member(event, list))
    const inside = insertInto('{}', { start: 0, end: 2 }, members, { depth: 1, layout })
    const added = `"hooks":${space}${withInsertions('{}', [inside])}`
    return [insertInto(text, root, [added], { depth: 0, layout })]
  }
  const missing: string[] = []
  const insertions: Insertion[] = []
  for (const [event, added] of groups) {
    const list = memberPlace(text, hooks, event)?.value
    const texts = added.map((group) => JSON.stringify(group))
    if (list) insertions.push(insertInto(text, list, texts, { depth: 2, layout }))
    else missing.push(member(event, added))
  }
  if (missing.length > 0) insertions.push(insertInto(text, hooks, missing, { depth: 1, layout }))
  return insertions
}

/** Removes the hooks of Sluice, and the lists that have become empty. Everything else stays. */
export const removeHooks = (text: string): string => {
  const hooks = memberPlace(text, rootPlace(text), 'hooks')
  if (!hooks || text[hooks.value.start] !== '{') return text
  const events = memberPlaces(text, hooks.value)
  const cuts = events.map((event) => cutsInEvent(text, event))
  const isGone = (index: number): boolean => cuts[index] === 'all'
  if (events.length > 0 && events.every((_, index) => isGone(index))) {
    const members = memberPlaces(text, rootPlace(text))
    return withoutParts(
      text,
      cutsFor(places(members), (index) => members[index]?.whole.start === hooks.whole.start),
    )
  }
  const inside = cuts.flatMap((each) => (each === 'all' ? [] : each))
  return withoutParts(text, [...cutsFor(places(events), isGone), ...inside])
}

const places = (members: readonly JsonMember[]): JsonPlace[] => members.map(({ whole }) => whole)

/** What to cut in the list of an event; `all` if nothing of it stays. */
const cutsInEvent = (text: string, { value }: JsonMember): JsonPlace[] | 'all' => {
  if (text[value.start] !== '[') return []
  const groups = itemPlaces(text, value)
  const cuts = groups.map((group) => cutsInGroup(text, group))
  const isGone = (index: number): boolean => cuts[index] === 'all'
  if (groups.length > 0 && groups.every((_, index) => isGone(index))) return 'all'
  return [...cutsFor(groups, isGone), ...cuts.flatMap((each) => (each === 'all' ? [] : each))]
}

const cutsInGroup = (text: string, group: JsonPlace): JsonPlace[] | 'all' => {
  if (isOwnHook(JSON.parse(text.slice(group.start, group.end)))) return 'all'
  const list = text[group.start] === '{' ? memberPlace(text, group, 'hooks')?.value : undefined
  if (!list || text[list.start] !== '[') return []
  const hooks = itemPlaces(text, list)
  const isGone = (index: number): boolean => {
    const place = hooks[index]
    return place !== undefined && isOwnHook(JSON.parse(text.slice(place.start, place.end)))
  }
  if (hooks.length > 0 && hooks.every((_, index) => isGone(index))) return 'all'
  return cutsFor(hooks, isGone)
}

/** Whether a hook is one of Sluice: by its mark, or where agents refuse a mark, by its program. */
const isOwnHook = (hook: unknown): boolean => {
  const { command, hooks, sluice } = fieldsOf(hook)
  // A group has hooks: they are looked at one by one.
  if (hooks !== undefined) return false
  return sluice !== undefined || (stringOf(command) ?? '').includes(hookProgramName)
}

/** The groups of Sluice in settings, by event. A group with hooks of the person has only ours. */
export const ownGroups = (settings: Fields): HookGroups =>
  Object.fromEntries(
    Object.entries(fieldsOf(settings.hooks)).flatMap(([event, groups]) => {
      const own = listOf(groups).flatMap((group) => {
        if (isOwnHook(group)) return [group]
        const hooks = listOf(fieldsOf(group).hooks).filter(isOwnHook)
        return hooks.length > 0 ? [{ ...fieldsOf(group), hooks }] : []
      })
      return own.length > 0 ? [[event, own]] : []
    }),
  )

/** Why the agent may ignore the hooks of a file, for people: one bad entry switches all of them off. */
export const hookProblems = (
  settings: Fields,
  { types, isFlat }: Pick<HookEntries, 'types' | 'isFlat'>,
): string[] => [
  ...(settings.disableAllHooks === true ? ['“disableAllHooks” is true.'] : []),
  // Where the entries are no groups, the agent leaves out a bad one alone.
  ...Object.entries(isFlat ? {} : fieldsOf(settings.hooks)).flatMap(([event, groups]) =>
    listOf(groups).flatMap((group, index) =>
      groupProblems(group, `hooks.${event}[${index}]`, types),
    ),
  ),
]

const groupProblems = (group: unknown, path: string, types: readonly string[]): string[] => {
  const { hooks } = fieldsOf(group)
  if (!Array.isArray(hooks)) return [`${path} has no list “hooks”.`]
  return hooks.flatMap((hook: unknown, index) => {
    const { type, timeout } = fieldsOf(hook)
    const place = `${path}.hooks[${index}]`
    return [
      ...(types.includes(stringOf(type) ?? '') ? [] : [`${place} has an unknown “type”.`]),
      ...(timeout === undefined || typeof timeout === 'number'
        ? []
        : [`${place} has a “timeout” that is no number.`]),
    ]
  })
}

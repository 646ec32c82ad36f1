import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { claudeHooks } from '../../src/agents/claude/hooks.ts'
import { withInsertions } from '../../src/hooks/install/json-edits.ts'
import { itemPlaces, memberPlaces, rootPlace } from '../../src/hooks/install/json-places.ts'
import { hashOfText, textBefore } from '../../src/hooks/install/receipts.ts'
import {
  addHooks,
  hookProblems,
  ownGroups,
  parseSettings,
  removeHooks,
} from '../../src/hooks/install/settings-text.ts'

const command = "/usr/bin/node /opt/sluice-hook.js claude user '/home/it''s/.sluice'"
const { settings: how } = claudeHooks
if (!('entries' in how)) throw new Error('no entries')
const groups = how.entries(command, false)

/** Settings with hooks of the person, who may have used any name and any text. */
const settings = fc
  .dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 })
  .chain((others) =>
    fc
      .record(
        {
          hooks: fc.dictionary(
            fc.oneof(fc.constantFrom('PreToolUse', 'Stop', 'PermissionRequest'), fc.string()),
            fc.array(
              fc.record({
                matcher: fc.string(),
                hooks: fc.array(fc.record({ type: fc.constant('command'), command: fc.string() })),
              }),
              { maxLength: 3 },
            ),
            { maxKeys: 4 },
          ),
        },
        { requiredKeys: [] },
      )
      .map((hooks) => ({ ...others, ...hooks })),
  )

/** Settings as text, in the layouts that people and programs write. */
const text = fc
  .record({
    value: settings,
    indent: fc.constantFrom(undefined, 0, 2, 4, '\t'),
    lineEnd: fc.constantFrom('\n', '\r\n'),
    start: fc.constantFrom('', '\uFEFF', ' ', '\n'),
    end: fc.constantFrom('', '\n', '\r\n', '  '),
  })
  .map(
    ({ value, indent, lineEnd, start, end }) =>
      start + JSON.stringify(value, null, indent).replaceAll('\n', lineEnd) + end,
  )
  .filter((each) => isAccepted(each))

const isAccepted = (each: string): boolean => {
  try {
    parseSettings(each, 'settings.json')
    return true
  } catch {
    return false
  }
}

const isSubsequence = (part: string, whole: string): boolean => {
  let at = 0
  for (const character of whole) if (character === part[at]) at += 1
  return at >= part.length
}

describe('adding hooks to settings', () => {
  test('keeps every byte that was there, and adds exactly our groups', () => {
    fc.assert(
      fc.property(text, (before) => {
        const { text: after, insertions } = addHooks(before, groups)
        const parsed = parseSettings(after, 'settings.json')
        expect(ownGroups(parsed)).toEqual(JSON.parse(JSON.stringify(groups)))
        expect(withInsertions(before, insertions)).toBe(after)
        expect(insertions.every(({ text: added }) => after.includes(added))).toBe(true)
        expect(before.length + insertions.reduce((sum, each) => sum + each.text.length, 0)).toBe(
          after.length,
        )
      }),
      { numRuns: 300 },
    )
  })

  test('what was added is taken out again, to the same bytes', () => {
    fc.assert(
      fc.property(text, (before) => {
        const { text: after, insertions } = addHooks(before, groups)
        let shift = 0
        const added = insertions
          .toSorted((left, right) => left.at - right.at)
          .map(({ at, text: part }) => {
            const start = at + shift
            shift += part.length
            return { start, end: start + part.length }
          })
        const hash = hashOfText(after)
        expect(textBefore(after, { hash, added, isNew: false })).toBe(before)
        expect(textBefore(`${after} `, { hash, added, isNew: false })).toBeUndefined()
      }),
      { numRuns: 200 },
    )
  })

  test('without a receipt, removing leaves the settings as they were, by value and in order', () => {
    fc.assert(
      fc.property(text, (before) => {
        const removed = removeHooks(addHooks(before, groups).text)
        expect(withoutEmptyLists(JSON.parse(clean(removed)))).toEqual(
          withoutEmptyLists(JSON.parse(clean(before))),
        )
        expect(isSubsequence(removed.replaceAll(/\s/g, ''), before.replaceAll(/\s/g, ''))).toBe(
          true,
        )
        expect(removeHooks(removed)).toBe(removed)
      }),
      { numRuns: 300 },
    )
  })

  test('settings in the usual layout get back every byte without a receipt, too', () => {
    const before = `{\n  "model": "opus",\n  "hooks": {\n    "Stop": [\n      { "hooks": [{ "type": "command", "command": "say done" }] }\n    ]\n  }\n}\n`
    expect(removeHooks(addHooks(before, groups).text)).toBe(before)
    const plain = `{\n\t"model": "opus"\n}`
    expect(removeHooks(addHooks(plain, groups).text)).toBe(plain)
  })

  test('a hook of the person in our group stays', () => {
    const both = JSON.stringify({
      hooks: {
        Stop: [
          {
            hooks: [
              { type: 'command', command: 'mine' },
              { type: 'command', command, sluice: true },
              { type: 'command', command: 'also mine' },
            ],
          },
        ],
      },
    })
    expect(JSON.parse(removeHooks(both))).toEqual({
      hooks: {
        Stop: [
          {
            hooks: [
              { type: 'command', command: 'mine' },
              { type: 'command', command: 'also mine' },
            ],
          },
        ],
      },
    })
  })
})

test.each([
  ['no JSON', '{"a":1,}'],
  ['a comment', '{} // mine'],
  ['an empty file', ''],
  ['a list', '[]'],
  ['hooks that are a list', '{"hooks":[]}'],
  ['an event that is no list', '{"hooks":{"Stop":{}}}'],
])('%s is refused', (_, bad) => {
  expect(() => parseSettings(bad, 'settings.json')).toThrow(/settings\.json/)
})

test('deep nesting exhausts no stack', () => {
  const deep = `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`
  const root = rootPlace(deep)
  expect(root).toEqual({ start: 0, end: deep.length })
  const [member] = memberPlaces(deep, root)
  expect(member && itemPlaces(deep, member.value)).toHaveLength(1)
})

test('of a key that comes twice, the last one counts, as in JSON.parse', () => {
  const twice = '{"hooks":{"Stop":[]},"hooks":{}}'
  expect(Object.keys(JSON.parse(addHooks(twice, groups).text).hooks)).toEqual(Object.keys(groups))
})

test('one bad hook of the person switches off all, so it is named', () => {
  const bad = {
    disableAllHooks: true,
    hooks: {
      Stop: [
        {
          hooks: [
            { type: 'comand', command: 'x' },
            { type: 'command', timeout: '5' },
          ],
        },
        {},
      ],
    },
  }
  expect(hookProblems(bad, { types: ['command'] })).toEqual([
    '“disableAllHooks” is true.',
    'hooks.Stop[0].hooks[0] has an unknown “type”.',
    'hooks.Stop[0].hooks[1] has a “timeout” that is no number.',
    'hooks.Stop[1] has no list “hooks”.',
  ])
  expect(hookProblems({ hooks: groups }, how)).toEqual([])
})

const clean = (each: string): string => each.replace(/^\uFEFF/, '')

/** Without the lists that have become empty, which only a receipt could tell from ours. */
const withoutEmptyLists = (value: { hooks?: Record<string, unknown[]> }) => {
  const { hooks, ...others } = value
  const events = Object.entries(hooks ?? {}).filter(([, list]) => list.length > 0)
  return events.length > 0 ? { ...others, hooks: Object.fromEntries(events) } : others
}

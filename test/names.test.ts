import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const root = new URL('../', import.meta.url).pathname
const files = globSync(['src/**/*.ts', 'web/src/**/*.{ts,tsx}'], { cwd: root })

const exported = /^export (?:async )?(?:const|function\*?|type|interface|class) (\w+)/gm

/** The names that a file defines and exports. Re-exports define nothing. */
const namesIn = (text: string): string[] =>
  [...text.matchAll(exported)].map(([, name = '']) => name)

/** The names that more than one file defines. */
const definedTwice = (definitions: ReadonlyMap<string, readonly string[]>): string[] =>
  [...definitions]
    .filter(([, places]) => !areOneContract(places))
    .map(([name, places]) => `${name}: ${places.join(', ')}`)

/**
 * Files of one name in sibling folders are implementations of one thing (log/memory/keys.ts and
 * log/sqlite/keys.ts, agents/pi/run.ts and agents/claude/run.ts), so the name means the same in each.
 */
const areOneContract = (places: readonly string[]): boolean => {
  const slots = places.map((file) => join(dirname(dirname(file)), '*', basename(file)))
  return new Set(slots).size === 1
}

test('an exported name has one definition, so it means one thing', () => {
  const definitions = new Map<string, string[]>()
  for (const file of files)
    for (const name of new Set(namesIn(readFileSync(join(root, file), 'utf8'))))
      definitions.set(name, [...(definitions.get(name) ?? []), file])
  expect(definedTwice(definitions)).toEqual([])
})

test('a second definition elsewhere is found; one in a sibling folder is not', () => {
  const definitions = new Map([
    ['Place', ['src/log/sqlite/rows.ts', 'src/turn-diff/turns.ts']],
    ['createKeys', ['src/log/memory/keys.ts', 'src/log/sqlite/keys.ts']],
  ])
  expect(definedTwice(definitions)).toEqual([
    'Place: src/log/sqlite/rows.ts, src/turn-diff/turns.ts',
  ])
  expect(namesIn('export const a = 1\nexport type B = 2\nexport { c } from "d"')).toEqual([
    'a',
    'B',
  ])
})

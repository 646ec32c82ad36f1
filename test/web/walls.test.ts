import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = new URL('../../web/src/', import.meta.url).pathname
const files = globSync('**/*.{ts,tsx}', { cwd: root })

/** The rooms of `src/` and the packages that the web app may import. */
const rooms = ['shared', 'agents/tool-calls', 'api', 'client', 'events', 'transcript']
const packages = [
  ...['react', 'react-dom', 'virtua', 'marked', 'lowlight', 'uplot', 'diff'],
  '@simplewebauthn/browser',
]

const textOf = (file: string) => readFileSync(join(root, file), 'utf8')
const importsOf = (text: string): string[] =>
  [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, name = '']) => name)

const isAllowed = (name: string): boolean => {
  const [, room] = /^(?:\.\.\/)+src\/(.+)\/[^/]+$/.exec(name) ?? []
  if (room !== undefined) return rooms.some((each) => `${room}/`.startsWith(`${each}/`))
  return name.startsWith('.') || packages.some((each) => `${name}/`.startsWith(`${each}/`))
}

describe('the web app', () => {
  test.each(files)('%s imports only what it may', (file) => {
    expect(importsOf(textOf(file)).filter((name) => !isAllowed(name))).toEqual([])
  })

  test('a forbidden import is found', () => {
    expect(isAllowed('../../../src/session/conversation/session.ts')).toBe(false)
    expect(isAllowed('../../../src/agents/claude/decode.ts')).toBe(false)
    expect(isAllowed('node:fs')).toBe(false)
  })

  test('never renders text as HTML', () => {
    expect(files.filter((file) => /dangerouslySetInnerHTML|innerHTML/.test(textOf(file)))).toEqual(
      [],
    )
  })
})

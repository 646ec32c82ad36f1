import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'

const source = new URL('../src/', import.meta.url).pathname

/** The rooms that a session stands on. */
const below = [
  'events',
  'lines',
  'agents',
  'handler',
  'ledger',
  'turns',
  'transcript',
  'log',
  'bus',
]

/** What only the server needs. */
const serving = ['hono', '@hono/node-server', '@hono/node-server/utils/response', 'jose', 'diff']
/** What the command line writes the server’s log with. */
const logging = ['pino', 'pino-pretty']

/** Which room may import which, and which packages. What is not here is not allowed. */
const mayImport: Record<string, readonly string[]> = {
  events: ['zod'],
  lines: [],
  agents: ['events', 'lines'],
  handler: ['events'],
  ledger: ['events'],
  turns: ['events'],
  transcript: ['events', 'ledger', 'turns'],
  log: ['events', 'zod', 'node'],
  bus: ['events', 'zod'],
  api: ['events', 'transcript', 'zod'],
  client: ['events', 'transcript', 'api', 'eventsource-parser', 'zod'],
  session: [...below, 'node'],
  server: [...below, 'session', 'api', 'node', 'zod', ...serving],
  cli: [...below, 'session', 'api', 'server', 'client', 'node', 'commander', ...logging],
}

/** Files of a room that alone may use a part of Node. */
const alone: Record<string, readonly string[]> = {
  // Agents, their versions, and git, which is asked short questions with bytes in and out.
  'node:child_process': ['session/process.ts', 'cli/agents.ts', 'server/turn-diff/git.ts'],
  'node:sqlite': ['log/sqlite.ts'],
}

const files = globSync('**/*.ts', { cwd: source })
const roomOf = (file: string) => file.split('/')[0] ?? ''

const importsOf = (file: string): string[] => {
  const text = readFileSync(join(source, file), 'utf8')
  const found = text.matchAll(/(?<!')\b(?:from|import)\s*\(?\s*'([^']+)'/g)
  return [...found].map((match) => match[1] ?? '')
}

/** The room or package that an import leads to. */
const targetOf = (file: string, specifier: string): string => {
  if (specifier.startsWith('node:')) return 'node'
  if (!specifier.startsWith('.')) return specifier
  return roomOf(relative(source, join(source, dirname(file), specifier)))
}

/** Imports that cross a wall. */
const breaches = (file: string, specifiers: readonly string[]): string[] => {
  const room = roomOf(file)
  const allowed = mayImport[room] ?? []
  return specifiers.filter((each) => {
    const target = targetOf(file, each)
    return target !== room && !allowed.includes(target)
  })
}

describe('walls', () => {
  test('every folder is a room with its place in the table', () => {
    expect(files.map(roomOf).filter((room) => !Object.hasOwn(mayImport, room))).toEqual([])
  })

  test.each(files)('%s imports what its room may', (file) => {
    expect(breaches(file, importsOf(file))).toEqual([])
  })

  test('a planted breach is found', () => {
    expect(breaches('events/event.ts', ['../session/process.ts', 'node:fs', 'zod'])).toEqual([
      '../session/process.ts',
      'node:fs',
    ])
  })

  test.each(Object.entries(alone))('only a few files use %s', (specifier, allowed) => {
    const users = files.filter((file) => importsOf(file).includes(specifier))
    expect(users.filter((file) => !allowed.includes(file))).toEqual([])
  })

  test('decoding loads no schema library: it would double the start-up time', () => {
    expect(loadedBy('cli/program.ts')).not.toContain('zod')
  })

  test('a server opens its first stream before it has loaded what only routes need', () => {
    const loaded = loadedBy('cli/serve.ts')
    expect(loaded).toContain('server/feed/feeds.ts')
    // An import of node:http loads all of `fetch`: see server/server.ts.
    const late = ['zod', 'hono', '@hono/node-server', 'jose', 'pino', 'pino-pretty', 'node:http']
    expect(late.filter((each) => loaded.has(each))).toEqual([])
    const rooms = [...loaded].filter((each) => each.endsWith('.ts')).map(roomOf)
    expect(rooms).not.toContain('session')
    expect(rooms).not.toContain('agents')
  })
})

/** Everything that a file needs before it runs: files, packages, parts of Node. */
const loadedBy = (entry: string): Set<string> => {
  const seen = new Set<string>()
  const visit = (file: string) => {
    if (seen.has(file)) return
    seen.add(file)
    const text = readFileSync(join(source, file), 'utf8')
    for (const [, specifier = ''] of text.matchAll(
      /^(?:import|export) (?!type)[^']*from '([^']+)'/gm,
    ))
      if (specifier.startsWith('.')) visit(relative(source, join(source, dirname(file), specifier)))
      else seen.add(specifier)
  }
  visit(entry)
  return seen
}

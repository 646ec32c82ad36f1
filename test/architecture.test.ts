import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'

const source = new URL('../src/', import.meta.url).pathname

/** Rooms without Node: they also run in a browser. */
const portable = [
  ...['shared', 'events', 'lines', 'agents', 'handler', 'policy', 'ledger', 'turns', 'transcript'],
  'budget',
]
/** Everything below `session/`. */
const below = [...portable, 'files', 'log', 'log/blobs', 'bus', 'process', 'trust', 'node']
/** Everything below `http/`. */
const serving = [
  ...below,
  'api',
  'prices',
  'cost',
  'auth',
  'session',
  'streams',
  'loop/runner',
  'turn-diff',
  'zod',
]
const insideStreams = ['fan-out', 'snapshots', 'overview', 'connection'].map(
  (room) => `streams/${room}`,
)
const insideHttp = ['export', 'search', 'routes', 'reference'].map((room) => `http/${room}`)

/**
 * What each room may import: other rooms, packages, and `node`. Everything else is forbidden. A key
 * with a slash is a room inside a room: it may import only what its own row names.
 */
const mayImport: Record<string, readonly string[]> = {
  shared: [],
  events: ['shared', 'zod'],
  lines: [],
  agents: ['shared', 'events', 'lines', 'agents/tool-calls'],
  'agents/tool-calls': ['shared', 'events'],
  handler: ['shared', 'events', 'budget'],
  policy: ['events'],
  redact: ['shared', 'events'],
  ledger: ['shared', 'events'],
  turns: ['events'],
  budget: ['shared', 'events'],
  transcript: ['shared', 'events', 'ledger', 'turns'],
  bus: ['shared', 'events', 'agents', 'zod'], // agents: their names on the bus
  'bus/nats': ['bus', 'log', 'log/jetstream', 'zod', '@nats-io/transport-node'], // log: the login
  api: ['events', 'transcript', 'zod'],
  client: ['shared', 'events', 'transcript', 'api', 'eventsource-parser'],

  log: ['shared', 'events', 'zod', 'node', 'log/blobs', 'log/memory', 'log/sqlite'],
  'log/jetstream': [
    ...['shared', 'events', 'node', 'log', 'log/blobs', 'log/memory', 'log/sqlite'],
    ...['@nats-io/transport-node', '@nats-io/jetstream', '@nats-io/jetstream/internal'],
    ...['@nats-io/kv', '@nats-io/obj'],
  ],
  'log/blobs': ['events', 'node'],
  'log/memory': ['events', 'node', 'log', 'log/blobs'],
  'log/sqlite': ['files', 'shared', 'events', 'node', 'log', 'log/blobs'],

  history: [
    ...['shared', 'events', 'agents', 'files', 'log', 'watch', 'node'],
    ...['session/conversation', 'session/registry'],
  ],

  move: ['shared', 'events', 'log', 'log/blobs', 'node'],

  bundle: [...['shared', 'events', 'lines', 'turns', 'log', 'log/blobs', 'redact', 'zod', 'node']],
  cost: ['shared', 'events', 'api', 'log'],

  files: ['node'],
  'opencode-store': ['shared', 'node'],
  prices: ['shared', 'events', 'api', 'ledger', 'files', 'zod', 'node', '@pydantic/genai-prices'],
  trust: ['agents', 'api', 'files', 'log', 'process', 'shared', 'node'],
  'agent-config': ['shared', 'agents', 'api', 'files', 'process', 'trust', 'zod', 'node'],
  process: ['shared', 'events', 'lines', 'agents', 'api', 'files', 'node'],
  presence: ['shared', 'events', 'agents', 'process', 'node'],
  workspace: ['shared', 'agents', 'files', 'process', 'node'],

  session: [
    ...['shared', 'events', 'agents', 'log', 'process'],
    ...['session/conversation', 'session/registry', 'session/rules'],
  ],
  'session/rules': ['shared', 'events', 'agents', 'files', 'policy', 'api', 'node', 'zod'],
  'session/budgets': ['shared', 'events', 'budget', 'log'],
  'session/recording': ['shared', 'events', 'ledger', 'turns', 'log', 'log/blobs'],
  'session/conversation': [
    ...[...below, 'agents/tool-calls', 'preview', 'workspace'],
    ...['session/recording', 'session/rules'],
  ],
  'session/bus': ['shared', 'events', 'agents', 'log', 'bus', 'session/conversation'],
  'session/registry': [
    ...below,
    'session/recording',
    'session/conversation',
    'session/bus',
    'session/budgets',
    'session/rules',
  ],
  cluster: [
    ...['shared', 'events', 'agents', 'log', 'log/jetstream', 'session/registry', 'node', 'zod'],
    ...['@nats-io/transport-node', '@nats-io/jetstream', '@nats-io/kv'],
  ],
  'pi-sdk': [...below, 'session/recording', 'session/conversation', 'session/rules'],

  loop: ['shared', 'events', 'handler', 'agents', 'log', 'croner'],
  'loop/runner': [
    ...['shared', 'events', 'handler', 'budget', 'files', 'log', 'process', 'loop', 'node'],
    ...['session/conversation', 'session/registry'],
  ],

  hooks: [
    ...['shared', 'events', 'agents', 'files', 'log', 'process', 'presence', 'watch', 'node'],
    ...['session/conversation', 'session/rules'],
  ],
  'hooks/install': ['shared', 'agents', 'files', 'node', 'diff'],

  'turn-diff': ['agents/tool-calls', 'api', 'events', 'files', 'log', 'node', 'zod', 'diff'],
  watch: [
    ...['shared', 'events', 'agents', 'files', 'ledger', 'turns', 'log', 'presence', 'node'],
    ...['session/recording', 'session/registry', 'opencode-store'],
  ],
  worktrees: ['shared', 'events', 'api', 'files', 'turn-diff', 'node'],
  auth: ['shared', 'events', 'api', 'log', 'node', 'zod', 'jose', '@simplewebauthn/server'],

  streams: [...below, 'api', 'session/registry', ...insideStreams],
  'streams/fan-out': ['shared', 'events', 'log', 'node', 'streams', 'streams/snapshots'],
  'streams/snapshots': ['api', 'events', 'transcript', 'log', 'streams', 'streams/fan-out'],
  'streams/overview': [
    ...['budget', 'events', 'transcript', 'api', 'log', 'node', 'session/registry'],
    ...['streams/fan-out', 'streams/snapshots'],
  ],
  'streams/connection': ['api', 'events', 'log', 'node', 'streams', ...insideStreams],

  preview: [
    ...['shared', 'agents', 'agents/tool-calls', 'files', 'policy', 'api', 'session/rules'],
    ...['node', 'diff'],
  ],

  http: [...serving, 'watch', 'hooks', ...insideHttp, 'session/registry', 'uqr', 'worktrees'],
  'http/export': ['events', 'api', 'log', 'transcript'],
  'http/search': [
    ...['shared', 'events', 'transcript', 'api', 'log', 'log/sqlite', 'streams/snapshots', 'node'],
  ],
  'http/routes': [
    ...[...serving, 'http', 'http/export', 'http/search'],
    ...['session/conversation', 'session/registry', 'session/rules', 'streams/overview'],
    'session/budgets',
    ...['preview', 'agents/tool-calls', 'bundle', 'worktrees'],
  ],
  'http/reference': ['shared', 'api', 'auth', 'zod', 'http', 'http/routes'],

  sluice: [
    'agent-config',
    'session/budgets',
    ...[...serving, 'files', 'http', 'log/sqlite', 'log/jetstream', 'prices', 'bus/nats'],
    ...['session/conversation', 'session/registry', 'session/rules', 'watch', 'presence'],
    'cluster',
    'move',
    'hooks',
    'history',
  ],
  cli: [
    ...['agent-config', 'worktrees'],
    'session/budgets',
    ...['loop', 'prices'],
    ...[...serving, 'client', 'http', 'sluice', 'commander', 'pino', 'pino-pretty'],
    ...['log/sqlite', 'session/conversation', 'session/registry', 'session/rules', 'preview'],
    ...['bundle', 'redact', 'hooks/install', 'watch'],
    ...['move', 'cluster', 'log/jetstream'],
  ],
}

/** Files that alone may use a package or a part of Node. */
const alone: Record<string, readonly string[]> = {
  // Agents, their versions, and git.
  'node:child_process': [
    'process/spawn.ts',
    'process/process-marks.ts',
    'process/ps.ts',
    'process/lsof.ts',
    'process/agent-guard.ts',
    'process/exit-now.ts',
    'process/agent-catalog.ts',
    'process/sandbox.ts',
    'turn-diff/git.ts',
  ],
  '@pydantic/genai-prices': ['prices/price-list.ts'],
  // The package is bundled, so no published type may mention its types.
  'eventsource-parser': ['client/stream/read-connection.ts'],
  'node:sqlite': [
    'log/sqlite/backup.ts',
    'log/sqlite/check.ts',
    'log/sqlite/database-copy.ts',
    'log/sqlite/open-database.ts',
    'log/sqlite/repair.ts',
    'log/sqlite/restore.ts',
    'log/sqlite/salvage.ts',
    'log/sqlite/schema-of.ts',
    'log/sqlite/spending-reader.ts',
    'log/sqlite/sqlite-log.ts',
    'log/sqlite/sqlite-reader.ts',
    // The database of an agent, which Sluice only reads.
    'opencode-store/copied-messages.ts',
    'opencode-store/open-store.ts',
    'opencode-store/next-events.ts',
    'opencode-store/complete-messages.ts',
  ],
}

const files = globSync('**/*.ts', { cwd: source })

/** The room of a file: the innermost folder that has a row in the table. */
const roomOf = (file: string): string => {
  const [outer = '', second = ''] = file.split('/')
  const nested = `${outer}/${second}`
  return Object.hasOwn(mayImport, nested) ? nested : outer
}

const importsOf = (file: string): string[] => {
  const text = readFileSync(join(source, file), 'utf8')
  const found = text.matchAll(/^(?:import|export)\b[^']*?\bfrom '([^']+)'|\bimport\('([^']+)'\)/gm)
  return [...found].map(([, from, late]) => from ?? late ?? '')
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
    expect(breaches('events/event.ts', ['../process/spawn.ts', 'node:fs', 'zod'])).toEqual([
      '../process/spawn.ts',
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

  test('the client loads no schema library: it would triple the size of a page', () => {
    expect(loadedBy('client/index.ts')).not.toContain('zod')
  })

  test('a server opens its first stream before it has loaded what only routes need', () => {
    const loaded = loadedBy('cli/serve.ts')
    expect(loaded).toContain('streams/streams.ts')
    // An import of node:http also loads `fetch`: see http/http-listener.ts.
    const late = ['zod', 'jose', 'pino', 'pino-pretty', 'node:http']
    expect(late.filter((each) => loaded.has(each))).toEqual([])
    const rooms = [...loaded].filter((each) => each.endsWith('.ts')).map(roomOf)
    expect(rooms.filter((room) => /^(?:session|agents|bus)\b/.test(room))).toEqual([])
    expect(loaded).not.toContain('process/spawn.ts')
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

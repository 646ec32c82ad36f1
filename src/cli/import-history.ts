import { realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { LogFault } from '../log/log-fault.ts'
import { openSqliteLog } from '../log/sqlite/sqlite-log.ts'
import { loadPriceBook } from '../prices/price-book.ts'
import { Fault } from '../shared/fault.ts'
import { formatSize } from '../shared/format-size.ts'
import { reasonOf } from '../shared/reason.ts'
import { createWatchedSessions } from '../watch/create-watched-sessions.ts'
import { rootOf } from '../watch/files/find-files.ts'
import { type ImportCount, importFiles } from '../watch/files/import-files.ts'
import { openFileLibrary } from '../watch/files/library.ts'
import type { FileSource } from '../watch/sources/file-source.ts'
import { fileSources } from '../watch/sources/file-sources.ts'
import {
  type OpenCodeImport,
  type OpenCodeImportOptions,
  openOpenCodeImport,
} from '../watch/stores/import-opencode.ts'
import { openCodeFile, openCodeFileIn } from '../watch/stores/opencode-file.ts'
import { exitCodes } from './exit.ts'
import { printError, type Terminal } from './terminal.ts'

export interface ImportHistoryOptions {
  data: string
  /** The names of agents. None: all whose directories exist. */
  agents: readonly string[]
  /** The directory of the one agent, instead of its usual one. */
  path?: string | undefined
  dryRun: boolean
  json: boolean
}

/** `sluice import [agent…]`: reads the sessions that agents have stored on this machine. */
export const importHistory = async (
  options: ImportHistoryOptions,
  terminal: Terminal,
  signal?: AbortSignal,
): Promise<number> => {
  const sources = sourcesOf(options)
  const log = await openLogOf(options.data)
  const onError = (cause: unknown) => printError(reasonOf(cause))
  const watched = createWatchedSessions({
    ...{ log, onError, publish() {}, publishHistory() {}, notify() {} },
    prices: () => loadPriceBook(options.data, { onError }),
  })
  try {
    const library = await openFileLibrary({ log, watched })
    let isEmpty = true
    for (const source of sources) {
      const root = await rootFor(source, options.path)
      if (root === undefined) continue
      isEmpty = false
      const count = await importFiles({
        ...{ library, source, root, signal, onError },
        isDry: options.dryRun,
      })
      if (options.json) terminal.writeJson(count)
      else terminal.write(lineOf(count, options.dryRun))
    }
    const openCode = await openCodeFor(options, { log, watched, onError })
    if (openCode) {
      isEmpty = false
      const count = await openCode.readAll({ isHistory: true, isDry: options.dryRun, signal })
      await openCode.close()
      if (options.json) terminal.writeJson(count)
      else terminal.write(lineOf(count, options.dryRun))
    }
    if (isEmpty && !options.json) terminal.write('No agent has stored sessions here.\n')
    await terminal.flush()
    return exitCodes.done
  } finally {
    await watched.close()
    await log.close()
  }
}

const sourcesOf = ({ agents, path }: ImportHistoryOptions): readonly FileSource[] => {
  const known = [...fileSources.map(({ agent }) => agent), 'opencode']
  for (const agent of agents)
    if (!known.includes(agent))
      throw new Fault(
        'usage',
        `Sluice cannot read the sessions of “${agent}”. Choose from: ${known.join(', ')}.`,
      )
  if (path !== undefined && agents.length !== 1)
    throw new Fault('usage', 'With --path, name the one agent whose directory it is.')
  return agents.length === 0
    ? fileSources
    : fileSources.filter(({ agent }) => agents.includes(agent))
}

/** OpenCode stores its sessions in a database. */
const openCodeFor = (
  { agents, path }: ImportHistoryOptions,
  deps: Pick<OpenCodeImportOptions, 'log' | 'watched' | 'onError'>,
): Promise<OpenCodeImport | undefined> | undefined => {
  if (agents.length > 0 && !agents.includes('opencode')) return undefined
  const file = path === undefined ? openCodeFile() : openCodeFileIn(path)
  return openOpenCodeImport({ ...deps, file })
}

const rootFor = async (
  source: FileSource,
  path: string | undefined,
): Promise<string | undefined> => {
  if (path === undefined) return rootOf(source, process.env, homedir())
  try {
    return realpathSync(path)
  } catch {
    throw new Fault('file_not_readable', `There is no directory ${path}.`)
  }
}

const openLogOf = (data: string) =>
  openSqliteLog(data, { synchronous: 'NORMAL', minFree: 'auto' }).catch((cause: unknown) => {
    if (!(cause instanceof LogFault)) throw cause
    const hint =
      cause.code === 'locked'
        ? ' A running server reads these sessions by itself, except with --no-watch. To import without it, stop it first.'
        : ''
    throw new Fault('data_not_opened', `${cause.message}${hint}`, { cause })
  })

const lineOf = (
  { agent, directory, read, unchanged, own, deleted, empty, bytes }: ImportCount,
  isDry: boolean,
): string => {
  const notes = [
    [unchanged, 'already imported'],
    [own, 'run by Sluice'],
    [deleted, 'deleted here'],
    [empty, 'without a session'],
  ] as const
  const rest = notes.flatMap(([count, what]) => (count > 0 ? [`${count} ${what}`] : []))
  const done = `${isDry ? 'would read' : 'read'} ${sessions(read)} (${formatSize(bytes)})`
  return `${agent.padEnd(8)} ${[done, ...rest].join(', ')}  ${directory}\n`
}

const sessions = (count: number): string => (count === 1 ? '1 session' : `${count} sessions`)

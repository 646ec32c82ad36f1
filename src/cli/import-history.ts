import { accessSync, constants, realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import type { Log } from '../log/log.ts'
import { LogFault } from '../log/log-fault.ts'
import { openSqliteLog } from '../log/sqlite/sqlite-log.ts'
import { loadPriceBook } from '../prices/price-book.ts'
import { Fault } from '../shared/fault.ts'
import { defined } from '../shared/fields.ts'
import { reasonOf } from '../shared/reason.ts'
import { createWatchedSessions } from '../watch/create-watched-sessions.ts'
import { rootOf } from '../watch/files/find-files.ts'
import { type ImportCount, importFiles } from '../watch/files/import-files.ts'
import { openFileLibrary } from '../watch/files/library.ts'
import type { FileSource } from '../watch/sources/file-source.ts'
import { fileSources, importedAgents } from '../watch/sources/file-sources.ts'
import {
  type OpenCodeImport,
  type OpenCodeImportOptions,
  openOpenCodeImport,
} from '../watch/stores/import-opencode.ts'
import { openCodeFile, openCodeFileIn } from '../watch/stores/opencode-file.ts'
import { exitCodes } from './exit.ts'
import { createProgressLine, importLine } from './import-output.ts'
import { watchStopSignals } from './signals.ts'
import { systemReason } from './system-reason.ts'
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
  const signals = watchStopSignals(signal)
  const stopping = new AbortController()
  void signals.first.then(() => stopping.abort())
  // A second Ctrl-C does not wait for the session that is being read.
  void signals.second.then(() => process.exit(exitCodes.stopped))
  const log = await openLogOf(options.data)
  try {
    const result = await importAll({ ...options, sources, log, signal: stopping.signal }, terminal)
    if (stopping.signal.aborted) {
      printError('Stopped. What was read is stored. To continue, run the same command again.')
      return exitCodes.stopped
    }
    if (result.found === 0 && !options.json) terminal.write(nothingFound(options))
    await terminal.flush()
    return result.failed > 0 ? exitCodes.failed : exitCodes.done
  } catch (cause) {
    throw storageFault(cause)
  } finally {
    signals.stop()
    await log.close()
  }
}

interface ImportAllOptions extends ImportHistoryOptions {
  sources: readonly FileSource[]
  log: Log
  signal: AbortSignal
}

/** Reads the sessions of each agent in turn. Returns how many agents have any, and what failed. */
const importAll = async (
  options: ImportAllOptions,
  terminal: Terminal,
): Promise<{ found: number; failed: number }> => {
  const { sources, log, signal, dryRun: isDry } = options
  const line = options.json ? undefined : createProgressLine()
  const onError = (cause: unknown) => {
    line?.remove()
    printError(reasonOf(cause))
  }
  const watched = createWatchedSessions({
    ...{ log, onError, publish() {}, publishHistory() {}, notify() {} },
    prices: () => loadPriceBook(options.data, { onError }),
  })
  const sum = { found: 0, failed: 0 }
  const print = async (count: ImportCount): Promise<void> => {
    line?.remove()
    sum.found += 1
    sum.failed += count.failed
    if (options.json) terminal.writeJson(count)
    else terminal.write(importLine(count, { isDry }))
    await terminal.flush()
  }
  try {
    const library = await openFileLibrary({ log, watched })
    for (const source of sources) {
      const root = signal.aborted ? undefined : await rootFor(source, options.path)
      if (root === undefined) continue
      const onProgress = line?.show
      await print(
        await importFiles({
          ...{ library, source, root, signal, onError, isDry },
          ...defined({ onProgress }),
        }),
      )
    }
    const openCode = await openCodeFor(options, { log, watched, onError })
    if (!openCode || signal.aborted) return sum
    await print(await openCode.readAll({ isPast: true, isDry, signal }))
    await openCode.close()
    return sum
  } finally {
    line?.remove()
    await watched.close()
  }
}

/** What to do when the data directory accepts nothing more. */
const storageFault = (cause: unknown): unknown => {
  if (!(cause instanceof LogFault)) return cause
  const hint =
    cause.code === 'disk_full'
      ? ' Free some space, and run the same command again: it continues.'
      : ''
  return new Fault('data_not_opened', `${cause.message}${hint}`, { cause })
}

const nothingFound = ({ agents, path }: ImportHistoryOptions): string => {
  if (path !== undefined) return `There are no sessions of ${agents.join(', ')} in ${path}.\n`
  const who = agents.length === 0 ? 'No agent has' : `None of these agents has`
  return `${who} stored sessions here. To read those of another home, use --path.\n`
}

const sourcesOf = ({ agents, path }: ImportHistoryOptions): readonly FileSource[] => {
  for (const agent of agents)
    if (!importedAgents.includes(agent))
      throw new Fault(
        'usage',
        `Sluice cannot read the sessions of “${agent}”. Choose from: ${importedAgents.join(', ')}.`,
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
    const root = realpathSync(path)
    if (!statSync(root).isDirectory())
      throw new Fault('file_not_readable', `${path} is not a directory.`)
    accessSync(root, constants.R_OK | constants.X_OK)
    return root
  } catch (cause) {
    if (cause instanceof Fault) throw cause
    const reason = cause instanceof Error ? systemReason(cause) : String(cause)
    throw new Fault('file_not_readable', `Cannot read ${path}: ${reason}.`, { cause })
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

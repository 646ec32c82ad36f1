import { readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import type { Agent } from '../agents/agent.ts'
import { agentOfStream, loadAgent } from '../agents/known-agents.ts'
import { createStream } from '../agents/stream.ts'
import { createLedger } from '../ledger/ledger.ts'
import { insertUsageUpdates } from '../ledger/usage-update.ts'
import { nodeTextReader } from '../process/node-text-reader.ts'
import { Fault } from '../shared/fault.ts'
import { plainLine } from './clean-text.ts'
import { exitCodes } from './exit.ts'
import { createTally, type TallyRow } from './tally.ts'
import { printError, type Terminal } from './terminal.ts'

export interface CorpusOptions {
  directory: string
  json: boolean
}

type CorpusRow = { file: string; agent: string; version: string } & TallyRow

/** `sluice corpus`: decodes every recording below a directory and prints a row for each. */
export const corpus = async (options: CorpusOptions, terminal: Terminal): Promise<number> => {
  const files = await recordingsBelow(options.directory)
  const skipped = new Map<string, number>()
  const sum = { files: 0, violations: 0, malformed: 0, torn: 0, raw: 0 }
  if (files.length === 0) printError(`no <agent>/<version>/*.ndjson found in ${options.directory}`)
  if (!options.json) terminal.write(`${heading}\n`)
  for (const file of files) {
    const [directory = '', version = ''] = file.split('/')
    const agent = agentOfStream(directory)
    if (agent === undefined) {
      skipped.set(directory, (skipped.get(directory) ?? 0) + 1)
      continue
    }
    const bytes = await readFile(join(options.directory, file))
    const row = { file, agent, version, ...rowOf(await loadAgent(agent), bytes) }
    sum.files += 1
    for (const key of ['violations', 'malformed', 'torn', 'raw'] as const) sum[key] += row[key]
    if (options.json) terminal.writeJson(row)
    else terminal.write(`${tableRow(row)}\n`)
    await terminal.flush()
    if (terminal.isClosed()) return exitCodes.done
  }
  if (!options.json) terminal.write(closing(sum, skipped))
  else for (const [agent, count] of skipped) printError(skipText(agent, count))
  await terminal.flush()
  return exitCodes.done
}

const recordingsBelow = async (directory: string): Promise<string[]> => {
  try {
    const entries = await readdir(directory, { recursive: true, withFileTypes: true })
    return entries
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ndjson'))
      .filter((entry) => !entry.name.endsWith('.stdin.ndjson'))
      .map((entry) => relative(directory, join(entry.parentPath, entry.name)).split(sep).join('/'))
      .sort()
  } catch (cause) {
    throw new Fault('file_not_readable', `Cannot read the directory ${directory}.`, { cause })
  }
}

const rowOf = (agent: Agent, bytes: Uint8Array): TallyRow => {
  const stream = createStream(agent, { reader: nodeTextReader })
  const ledger = createLedger()
  const tally = createTally(() => 0)
  for (const event of insertUsageUpdates(ledger, [...stream.push(bytes), ...stream.end()]))
    tally.push(event)
  return tally.row(stream.counts())
}

const heading = `${'file'.padEnd(52)} lines events tools turns    cost  raw  bad torn order end`

const tableRow = (row: CorpusRow): string =>
  [
    plainLine(row.file).padEnd(52),
    String(row.lines).padStart(5),
    String(row.events).padStart(6),
    String(row.toolCalls.length).padStart(5),
    String(row.turns).padStart(5),
    (row.costUsd === null ? '–' : row.costUsd.toFixed(4)).padStart(7),
    String(row.raw).padStart(4),
    String(row.malformed).padStart(4),
    String(row.torn).padStart(4),
    String(row.violations).padStart(5),
    row.ended ? 'yes' : ' no',
  ].join(' ')

const closing = (
  sum: { files: number; violations: number; malformed: number; torn: number; raw: number },
  skipped: ReadonlyMap<string, number>,
): string => {
  const counts = `${sum.raw} unknown, ${sum.malformed} malformed, ${sum.torn} torn lines`
  const first = `${sum.files} files: ${counts}, ${sum.violations} order violations\n`
  return [first, ...[...skipped].map(([agent, count]) => `${skipText(agent, count)}\n`)].join('')
}

const skipText = (agent: string, count: number) =>
  `skipped ${count} ${count === 1 ? 'recording' : 'recordings'} of ${agent}: there is no decoder for it`

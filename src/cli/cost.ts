import { statSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import type { CostGroup, CostReport } from '../api/types.ts'
import { type CostSource, costReportOf } from '../cost/cost-report.ts'
import { createStyle } from '../handler/style.ts'
import { lockHolder } from '../log/sqlite/lock.ts'
import { openSpendingReader, type SpendingReader } from '../log/sqlite/spending-reader.ts'
import { Fault } from '../shared/fault.ts'
import { defined } from '../shared/fields.ts'
import { asDataFault, openLog } from '../sluice/open-log.ts'
import { costCsv } from './cost/cost-csv.ts'
import { costNotes, wrapped } from './cost/cost-notes.ts'
import { costPlot, costTable } from './cost/cost-table.ts'
import { ownTimezone, parseTime } from './cost/times.ts'
import { exitCodes } from './exit.ts'
import { nodeOn } from './node-data.ts'
import { printError, type Terminal } from './terminal.ts'

export interface CostVerbOptions {
  data: string
  url?: string
  token?: string
  by: CostGroup
  breakdown: boolean
  since?: string
  until?: string
  timezone?: string
  project?: string
  limit?: number
  plot: boolean
  csv: boolean
  json: boolean
  statusline: boolean
}

/** How long ago the first block began, unless the user wants more. */
const shownBlocks = '30d'

/** How many rows a table shows, unless the user wants more. */
const shownRows = 60

/** `sluice cost`: what sessions have cost. */
export const showCost = async (options: CostVerbOptions, terminal: Terminal): Promise<number> => {
  const now = Date.now()
  const timezone = checkedTimezone(options.timezone ?? ownTimezone())
  if (options.statusline) return printStatusLine(options, terminal, { timezone, now })
  const { by, until, json, csv } = options
  const since = options.since ?? (by === 'block' ? shownBlocks : undefined)
  const report = await loadReport(options, {
    ...defined({
      since: since === undefined ? undefined : parseTime(since, { timezone, now }),
      until: until === undefined ? undefined : parseTime(until, { timezone, now, isEnd: true }),
    }),
    group: options.by,
    limit: options.limit ?? (json || csv ? 10_000 : shownRows),
    timezone,
    now,
  })
  if (json) terminal.writeJson(report, 2)
  else if (csv) terminal.write(costCsv(report))
  else printReport(report, options, terminal, now)
  await terminal.flush()
  return exitCodes.done
}

interface ReportQuery {
  group: CostGroup
  timezone: string
  now: number
  since?: number
  until?: number
  limit: number
}

const printReport = (
  report: CostReport,
  { plot }: CostVerbOptions,
  terminal: Terminal,
  now: number,
): void => {
  const width = terminal.size()?.columns ?? 80
  const notes = costNotes(report, now).map((note) => wrapped(note, width))
  if (report.rows.length === 0) {
    const range =
      report.since === undefined && report.until === undefined ? ' yet' : ' in this time'
    terminal.write(`No usage${range}.\n`)
  } else {
    const layout = { width, style: createStyle(terminal.colour()) }
    terminal.write(plot ? costPlot(report, layout) : costTable(report, layout))
  }
  if (notes.length > 0) terminal.write(`\n${notes.map((note) => `${note}\n`).join('')}`)
}

const printStatusLine = async (
  options: CostVerbOptions,
  terminal: Terminal,
  { timezone, now }: { timezone: string; now: number },
): Promise<number> => {
  const { statusLine } = await import('./cost/status-line.ts')
  const input = await readInput()
  const load = (group: CostGroup, since: number): Promise<CostReport> =>
    loadReport(options, { group, timezone, now, since, limit: 1000 })
  const today = await load('day', parseTime('today', { timezone, now }))
  const blocks = await load('block', now - 86_400_000)
  terminal.write(`${statusLine({ input, today, blocks, now })}\n`)
  await terminal.flush()
  return exitCodes.done
}

/** Claude Code writes less than this. */
const maxInput = 1_000_000

const readInput = async (): Promise<string> => {
  if (process.stdin.isTTY) return ''
  let text = ''
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    text += chunk
    if (text.length > maxInput) return ''
  }
  return text
}

/** From the server at an address, or from the data directory, which another process may have open. */
const loadReport = async (options: CostVerbOptions, query: ReportQuery): Promise<CostReport> => {
  const { url, token, data, breakdown, project } = options
  const range = defined({ since: query.since, until: query.until })
  if (url !== undefined || nodeOn(data) !== undefined) {
    const { onServer, requireServerAt } = await import('./remote/server-target.ts')
    const client = requireServerAt({ data, ...defined({ url, token }) })
    const { now: _, ...asked } = query
    const parameters = { ...asked, ...range, breakdown: breakdown ? 'true' : 'false' } as const
    return onServer(defined({ url }), async () => {
      const names = async () =>
        new Map((await client.projects.list()).map(({ id, name }) => [id, name]))
      return client.cost({ ...parameters, ...(await chosenProject(project, names)) })
    })
  }
  const reader = await openReader(data)
  try {
    const source = sourceOf(reader)
    return await costReportOf(source, {
      ...{ ...query, ...range, breakdown },
      ...(await chosenProject(project, source.projectNames)),
      withModels: options.json,
    })
  } finally {
    reader?.close()
  }
}

/** The project that a person means: by its id, its name, or the beginning of its id. */
const chosenProject = async (
  wanted: string | undefined,
  projectNames: () => Promise<ReadonlyMap<string, string>>,
): Promise<{ projectId?: string }> => {
  if (wanted === undefined) return {}
  const names = [...(await projectNames())]
  const text = wanted.toLowerCase()
  const isEqual = ([id, name]: [string, string]) => id === text || name.toLowerCase() === text
  const isBegun = ([id]: [string, string]) => text.length >= 4 && id.startsWith(text)
  const equal = names.filter(isEqual)
  const found = equal.length > 0 ? equal : names.filter(isBegun)
  const [first] = found
  if (first && found.length === 1) return { projectId: first[0] }
  // The sums of a project stay when it is deleted.
  if (isWholeId.test(text)) return { projectId: text }
  throw new Fault(
    'usage',
    first
      ? `${found.length} projects match “${wanted}”. Give an id: sluice cost --by project --json`
      : `There is no project “${wanted}”. List them with: sluice cost --by project`,
  )
}

const isWholeId = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

const openReader = async (data: string): Promise<SpendingReader | undefined> => {
  if (statSync(data, { throwIfNoEntry: false })?.isDirectory() === false)
    throw new Fault('data_not_opened', `${data} is a file, not a data directory.`)
  const opened = await asDataFault(Promise.resolve().then(() => openSpendingReader(data)))
  if (opened === 'none') return undefined
  if (opened !== 'old' && opened.unfilled() === 0) return opened
  // The server that has the directory is adding them now.
  const isOpen = lockHolder(data) !== undefined
  if (isOpen && opened !== 'old') return opened
  if (isOpen)
    throw new Fault(
      'data_not_opened',
      `An older version of Sluice has ${data} open, and has no sums of cost. Restart it with this version.`,
    )
  if (opened !== 'old') opened.close()
  await fillSums(data)
  const filled = openSpendingReader(data)
  return typeof filled === 'string' ? undefined : filled
}

/** Opens the log once, which adds up the sessions of an older version. */
const fillSums = async (data: string): Promise<void> => {
  const log = await openLog(data)
  try {
    let left = await log.spending.unfilled()
    if (left > 100) printError(`adding up ${left.toLocaleString('en')} sessions, once.`)
    for (let idle = 0; left > 0 && idle < 100; idle += 1) {
      await wait(20)
      const now = await log.spending.unfilled()
      if (now < left) idle = 0
      left = now
    }
  } finally {
    await log.close()
  }
}

const sourceOf = (reader: SpendingReader | undefined): CostSource => ({
  spending: {
    list: async (query) => reader?.list(query) ?? [],
    span: async (range = {}) => reader?.span(range),
    unfilled: async () => reader?.unfilled() ?? 0,
  },
  async sessionNames(ids) {
    const named = ids.map((id): [string, string | undefined] => [id, reader?.sessionName(id)])
    return new Map(named.flatMap(([id, name]) => (name === undefined ? [] : [[id, name]])))
  },
  projectNames: async () => reader?.projectNames() ?? new Map<string, string>(),
})

const checkedTimezone = (timezone: string): string => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: timezone }).resolvedOptions().timeZone
  } catch {
    throw new Fault(
      'usage',
      `“${timezone}” is not a time zone. Give a name such as Europe/Berlin or UTC.`,
    )
  }
}

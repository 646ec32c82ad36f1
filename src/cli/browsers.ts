import type { BrowserInfo } from '../api/types.ts'
import { createBrowsers } from '../auth/browsers.ts'
import { LogFault } from '../log/log-fault.ts'
import { openSqliteLog } from '../log/sqlite/sqlite-log.ts'
import { Fault } from '../shared/fault.ts'
import { plainLine } from './clean-text.ts'
import { requireServer } from './connect-to-server.ts'
import { exitCodes } from './exit.ts'
import { asFault } from './open-admin.ts'
import type { Terminal } from './terminal.ts'

interface BrowsersOptions {
  data: string
  json: boolean
}

/** `sluice browsers list`: every paired browser. */
export const listBrowsers = async (
  { data, json }: BrowsersOptions,
  terminal: Terminal,
): Promise<number> => {
  const found = await withBrowsers(data, (browsers) => browsers.list())
  if (found.length === 0 && !json)
    terminal.write('No browser is paired. Pair one with `sluice pair`.\n')
  for (const each of found)
    if (json) terminal.writeJson(each)
    else terminal.write(lineOf(each))
  await terminal.flush()
  return exitCodes.done
}

/** `sluice browsers revoke`: signs a browser out, and ends its streams. */
export const revokeBrowser = async (
  { data, json, id }: BrowsersOptions & { id: string },
  terminal: Terminal,
): Promise<number> => {
  await withBrowsers(data, (browsers) => browsers.revoke(id))
  if (json) terminal.writeJson({ id })
  else terminal.write(`Signed out ${id}.\n`)
  await terminal.flush()
  return exitCodes.done
}

interface OpenBrowsers {
  list(): Promise<BrowserInfo[]>
  revoke(id: string): Promise<void>
}

/** The browsers of a data directory: directly, or through the server that has it open. */
const withBrowsers = async <Result>(
  directory: string,
  use: (browsers: OpenBrowsers) => Promise<Result>,
): Promise<Result> => {
  const log = await openSqliteLog(directory).catch((cause: unknown) => {
    if (!(cause instanceof LogFault)) throw cause
    if (cause.code === 'locked') return undefined
    throw new Fault('data_not_opened', cause.message, { cause })
  })
  if (!log) return asFault(use(requireServer(directory).browsers))
  try {
    const browsers = createBrowsers({ store: log.browsers, now: Date.now, onRevoked() {} })
    return await asFault(use(browsers))
  } finally {
    await log.close()
  }
}

const lineOf = ({ id, name, scopes, lastUsedAt, expiresAt, address = '' }: BrowserInfo): string => {
  const times = `used ${dayOf(lastUsedAt)}  until ${dayOf(expiresAt)}`
  return `${id}  ${times}  ${scopes.join(',').padEnd(33)}  ${plainLine(name)}  ${address}\n`
}

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10)

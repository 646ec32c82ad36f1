import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { readServerFile } from '../../http/server-file.ts'
import { lockHolder } from '../../log/sqlite/lock.ts'
import { databaseFile } from '../../log/sqlite/open-database.ts'
import { openSqliteReader } from '../../log/sqlite/sqlite-reader.ts'
import { openOwnPrices } from '../../prices/own-prices.ts'
import { priceListName } from '../../prices/price-list-version.ts'
import { portOwner } from '../../process/port-owner.ts'
import { openSandbox } from '../../process/sandbox.ts'
import { version } from '../../process/version.ts'
import { formatSize } from '../../shared/format-size.ts'
import { reasonOf } from '../../shared/reason.ts'
import { connectToServer } from '../connect-to-server.ts'
import { sandboxText } from '../sandbox-line.ts'
import type { Finding } from './finding.ts'

/** The version of Sluice, and of Node. `bin/sluice.js` refuses a Node that is too old. */
export const checkVersions = (): Finding => {
  const { platform, arch, version: node } = process
  return {
    check: 'program',
    status: 'ok',
    message: `Sluice ${version} on Node ${node.slice(1)}, ${platform} ${arch}.`,
    details: { version, node: node.slice(1), platform, arch },
  }
}

/** Whether the data directory exists, is private and can be written, and whether the log opens. */
export const checkData = async (data: string): Promise<Finding> => {
  const check = 'data'
  const stats = statSync(data, { throwIfNoEntry: false })
  if (!stats)
    return {
      check,
      status: 'ok',
      message: `Data directory ${data}: it is created when it is needed.`,
    }
  const problem = (message: string, advice: string): Finding => ({
    ...{ check, status: 'problem', advice },
    message: `Data directory ${data}: ${message}`,
  })
  if (!stats.isDirectory()) return problem('it is not a directory.', 'Choose another with --data.')
  if (!canWrite(data)) return problem('it cannot be written.', 'Change its owner or its mode.')
  if ((stats.mode & 0o077) !== 0)
    return problem(
      `other users can read it (mode ${(stats.mode & 0o777).toString(8)}).`,
      `Run: chmod 700 ${data}`,
    )
  const file = databaseFile(data)
  if (!existsSync(file))
    return { check, status: 'ok', message: `Data directory ${data}: no log yet.` }
  try {
    const reader = openSqliteReader(file)
    const sessions = (await reader.sessions.list()).length
    await reader.close()
    const size = statSync(file).size
    return {
      ...{ check, status: 'ok', details: { path: data, sessions, bytes: size } },
      message: `Data directory ${data}: ${sessions} ${sessions === 1 ? 'session' : 'sessions'}, ${formatSize(size)}.`,
      advice: 'To look for damage in all of it: sluice check',
    }
  } catch (cause) {
    return problem(`the log cannot be read: ${reasonOf(cause)}`, 'Run: sluice check')
  }
}

const canWrite = (path: string): boolean => {
  try {
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Whether the disk has room. Below this, Sluice stops agents. */
export const checkDisk = async (data: string): Promise<Finding> => {
  const check = 'disk'
  const space = await spaceOf(data)
  if (!space)
    return { check, status: 'ok', message: 'Disk: the system does not report free space.' }
  const least = Math.min(256e6, space.size / 20)
  const message = `Disk: ${formatSize(space.free)} free of ${formatSize(space.size)}.`
  const details = { freeBytes: space.free, sizeBytes: space.size }
  if (space.free < least)
    return {
      ...{ check, status: 'problem', details },
      message: `${message} Agents are stopped below ${formatSize(least)}.`,
      advice: 'Free some space, or delete old sessions: sluice serve --keep 90d',
    }
  return { check, status: 'ok', message, details }
}

const spaceOf = async (path: string): Promise<{ free: number; size: number } | undefined> => {
  try {
    const { bavail, bsize, blocks } = await statfs(path)
    return { free: bavail * bsize, size: blocks * bsize }
  } catch {
    return path === dirname(path) ? undefined : spaceOf(dirname(path))
  }
}

/** Whether the server of the data directory responds; without one, whether its port is free. */
export const checkServer = async (data: string, port: number): Promise<Finding> => {
  const check = 'server'
  const server = readServerFile(data)
  const client = connectToServer(data)
  if (client && server) {
    const details = { url: server.url, pid: server.pid }
    try {
      const { status } = await client.health()
      const isOk = status === 'ok'
      return {
        ...{ check, status: isOk ? 'ok' : 'warning', details },
        message: `Server: process ${server.pid} at ${server.url} responds (${status}).`,
        ...(!isOk && { advice: `See ${server.url}api/v1/health for the reasons.` }),
      }
    } catch (cause) {
      return {
        ...{ check, status: 'problem', details },
        message: `Server: process ${server.pid} at ${server.url} does not respond: ${reasonOf(cause)}`,
        advice: 'Restart it.',
      }
    }
  }
  const holder = lockHolder(data)
  const other =
    holder === undefined || !isRunning(holder) ? '' : ` Process ${holder} has the data directory.`
  const owner = portOwner(port)
  if (owner === undefined)
    return { check, status: 'ok', message: `Server: none runs. Port ${port} is free.${other}` }
  return {
    ...{ check, status: 'warning', details: { port, owner } },
    message: `Server: none runs on this data directory. Port ${port} is in use by process ${owner}.${other}`,
    advice: 'Start the server with another --port.',
  }
}

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Whether agents run in a sandbox. */
export const checkSandbox = async (data: string): Promise<Finding> => {
  const { info } = await openSandbox({ hidden: [data] })
  const text = sandboxText(info)
  return {
    check: 'sandbox',
    status: info.mode === 'off' ? 'warning' : 'ok',
    message: `Sandbox: ${text}.`.replace(/\.\.$/, '.'),
    details: info,
  }
}

/** Which price list is used, and whether the user’s own prices can be read. */
export const checkPrices = (data: string): Finding => {
  const check = 'prices'
  try {
    const own = Object.keys(openOwnPrices(data).all()).length
    const details = { priceList: priceListName, own }
    return {
      check,
      status: 'ok',
      message: `Prices: ${priceListName}, ${own} of your own.`,
      details,
    }
  } catch (cause) {
    return {
      check,
      status: 'problem',
      message: reasonOf(cause),
      advice: 'Correct or delete the file.',
    }
  }
}

import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import { markVariable } from './proc.ts'
import type { ProcessRow, ProcessTable } from './process-table.ts'

/**
 * The processes of this machine as `ps` lists them, for systems without /proc. Its start times have a
 * resolution of one second: a pid that is used again within the same second looks the same.
 */
export const psTable: ProcessTable = {
  rows() {
    const { stdout } = spawnSync('ps', allProcesses, { ...options, encoding: 'utf8' })
    return rowsIn(stdout ?? '')
  },
  async readRows() {
    try {
      return rowsIn((await run('ps', allProcesses, options)).stdout)
    } catch {
      return []
    }
  },
  startTimeOf(pid) {
    const args = ['-o', columns, '-p', `${pid}`]
    const { stdout } = spawnSync('ps', args, { ...options, encoding: 'utf8' })
    const [row] = rowsIn(stdout ?? '')
    return row?.isEnded === false ? row.startedAt : undefined
  },
  // On Linux, `ps` adds two clocks, and the sum can differ by a second from one call to the next.
  isSameStart: (left, right) => Math.abs(left - right) <= 1,
}

const run = promisify(execFile)

/** Every name is known to the `ps` of Linux, macOS and the BSDs. */
const columns = 'pid=,ppid=,pgid=,stat=,lstart=,command='
/** Of all users and terminals, with the environment, in lines of any length. */
const allProcesses =
  process.platform === 'darwin' ? ['-axEww', '-o', columns] : ['axeww', '-o', columns]

const options = {
  // The names of months, and one time zone all year.
  env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' },
  maxBuffer: 256 * 1024 * 1024,
  timeout: 10_000,
}

const rowsIn = (text: string): ProcessRow[] => text.split('\n').flatMap(rowIn)

const line = /^ *(\d+) +(\d+) +(\d+) +(\S+) +(\w+ +\w+ +\d+ +[\d:]+ +\d+) *(.*)$/
const markPattern = new RegExp(`(?:^| )${markVariable}=(\\d+)(?= |$)`)

const rowIn = (text: string): ProcessRow[] => {
  const [, pid, parent, group, state, started, command = ''] = line.exec(text) ?? []
  if (pid === undefined || state === undefined) return []
  return [
    {
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      startedAt: Date.parse(`${started} UTC`) / 1000,
      isEnded: state.startsWith('Z'),
      mark() {
        const [, mark] = markPattern.exec(command) ?? []
        return mark === undefined ? undefined : Number(mark)
      },
    },
  ]
}

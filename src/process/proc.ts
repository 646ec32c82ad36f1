import { readdirSync, readFileSync } from 'node:fs'
import type { ProcessRow, ProcessTable } from './process-table.ts'
import { createTimeSlices } from './time-slices.ts'

/** The environment variable that has the mark of an agent’s process, where limits cannot have it. */
export const markVariable = 'AGENT_PROCESS_TAG'

/** The processes of this machine as Linux lists them below /proc. */
export const procTable: ProcessTable = {
  rows: () => listPids().flatMap(rowOf),
  async readRows() {
    const pause = createTimeSlices()
    const rows: ProcessRow[] = []
    for (const pid of listPids()) {
      await pause()
      rows.push(...rowOf(pid))
    }
    return rows
  },
  startTimeOf(pid) {
    const [row] = rowOf(pid)
    return row?.isEnded === false ? row.startedAt : undefined
  },
  isSameStart: (left, right) => left === right,
}

/** All processes of this machine; none where /proc does not exist. */
export const listPids = (): number[] => {
  try {
    return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []))
  } catch {
    return []
  }
}

/** The process as a list of one; an empty list if it does not exist. */
const rowOf = (pid: number): ProcessRow[] => {
  const [state, parent, group, ...rest] = statOf(pid) ?? []
  if (state === undefined) return []
  let mark: { value: number | undefined } | undefined
  return [
    {
      pid,
      parent: Number(parent),
      group: Number(group),
      // Field 22 of the file.
      startedAt: Number(rest[16]),
      isEnded: state === 'Z' || state === 'X',
      mark() {
        mark ??= { value: limitMark(pid) ?? environmentMark(pid) }
        return mark.value
      },
    },
  ]
}

/** The fields of /proc/<pid>/stat from the state on: the name before it may contain anything. */
const statOf = (pid: number): string[] | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}

/** No mark is lower. A lower limit of file locks was set by others, such as a service manager. */
export const lowestMark = 2 ** 51

/** The mark in the text of a file `limits`; undefined if the limit is none. */
export const markIn = (limits: string): number | undefined => {
  const [, value] = /^Max file locks +(\d+)/m.exec(limits) ?? []
  return value === undefined || Number(value) < lowestMark ? undefined : Number(value)
}

const limitMark = (pid: number): number | undefined => {
  try {
    return markIn(readFileSync(`/proc/${pid}/limits`, 'latin1'))
  } catch {
    return undefined
  }
}

const environmentMark = (pid: number): number | undefined => {
  try {
    const environment = `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}\0`
    const at = environment.indexOf(`\0${markVariable}=`)
    if (at < 0) return undefined
    const from = at + markVariable.length + 2
    return Number(environment.slice(from, environment.indexOf('\0', from)))
  } catch {
    return undefined
  }
}

/**
 * The processes that a process has started, by any of its threads, and that still run. Reads less than
 * a search for everything that has this parent.
 */
export const childrenOf = (pid: number): number[] =>
  threadsOf(pid).flatMap((thread) => {
    try {
      const children = readFileSync(`/proc/${pid}/task/${thread}/children`, 'latin1')
      return children.split(' ').flatMap((child) => (child === '' ? [] : [Number(child)]))
    } catch {
      return [] // this thread has ended
    }
  })

const threadsOf = (pid: number): string[] => {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
}

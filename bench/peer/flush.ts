import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { median } from '../rounds.ts'

/** How many bytes the commit of one event writes: some pages of the database. */
const commitBytes = 4 * 4120

/** The median time of one flush of a file that has grown a little, in ms, at a pace of 200 a second. */
export const measureFlush = async (directory: string, count: number): Promise<number> => {
  const own = mkdtempSync(join(directory, 'flush-'))
  const file = openSync(join(own, 'file'), 'a')
  const bytes = Buffer.alloc(commitBytes, 1)
  const times: number[] = []
  try {
    while (times.length < count) {
      writeSync(file, bytes)
      const began = performance.now()
      fdatasyncSync(file)
      times.push(performance.now() - began)
      await pause(5)
    }
    return median(times)
  } finally {
    closeSync(file)
    rmSync(own, { recursive: true, force: true })
  }
}

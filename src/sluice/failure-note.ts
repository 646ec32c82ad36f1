import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { readPrivate, writePrivate } from '../files/private-file.ts'
import type { InterruptReason } from '../log/interrupt-reason.ts'
import { isFields } from '../shared/fields.ts'

/**
 * A file beside the log that says why the log could not be written. If the process ends before it
 * works again, the next one closes the runs with this reason.
 */
export interface FailureNote {
  /** The note that is there; undefined when there is none. */
  read(): InterruptReason | undefined
  /** Writes the note. A disk that cannot store it either is ignored. */
  write(reason: InterruptReason): void
  remove(): void
}

export const createFailureNote = (data: string): FailureNote => {
  const path = join(data, 'last-failure.json')
  return {
    read() {
      try {
        const note: unknown = JSON.parse(readPrivate(path)?.toString() ?? '')
        return isReason(note) ? { code: note.code, message: note.message } : undefined
      } catch {
        return undefined
      }
    },
    write(reason) {
      try {
        writePrivate(path, JSON.stringify(reason))
      } catch {
        // The reason is lost with this process: the next one only sees that it has ended.
      }
    },
    remove: () => rmSync(path, { force: true }),
  }
}

const isReason = (value: unknown): value is InterruptReason =>
  isFields(value) &&
  (value.code === 'disk_full' || value.code === 'log_failed') &&
  typeof value.message === 'string'

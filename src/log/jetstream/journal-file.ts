import { mkdirSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import {
  decodeRecords,
  encodeRecord,
  type JournalContent,
  type JournalWrite,
} from './journal-record.ts'

/** The file of a journal. Its calls must not overlap. */
export interface JournalFile {
  readonly path: string
  /** How many bytes it has. */
  size(): number
  /** Adds writes. They are on the disk when this resolves. Nothing of them is when it rejects. */
  append(writes: readonly JournalWrite[]): Promise<void>
  /** Deletes everything. */
  clear(): Promise<void>
  close(): Promise<void>
}

/** Opens a journal, and returns what the last process has left in it. */
export const openJournalFile = async (
  path: string,
): Promise<{ file: JournalFile; content: JournalContent; damaged: Buffer | undefined }> => {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const handle = await open(path, 'a+', 0o600)
  const bytes = await handle.readFile()
  const content = decodeRecords(bytes)
  const damaged = content.isDamaged ? bytes.subarray(content.length) : undefined
  await syncDirectory(dirname(path))
  return { file: createJournalFile(path, handle, content.length, bytes.length), content, damaged }
}

const createJournalFile = (
  path: string,
  handle: FileHandle,
  length: number,
  fileLength: number,
): JournalFile => {
  let size = length
  /** Whether the file has bytes of a write that failed, or of a process that was killed. */
  let isTorn = fileLength > length

  const cut = async (): Promise<void> => {
    if (!isTorn) return
    await handle.truncate(size)
    isTorn = false
  }

  return {
    path,
    size: () => size,
    async append(writes) {
      await cut()
      isTorn = true
      let written = 0
      for (const write of writes) {
        const parts = encodeRecord(write)
        const wanted = parts.reduce((sum, part) => sum + part.length, 0)
        const { bytesWritten } = await handle.writev(parts)
        // A disk that is almost full takes a part.
        if (bytesWritten < wanted)
          throw Object.assign(new Error('no space left on the disk'), { code: 'ENOSPC' })
        written += wanted
      }
      await handle.datasync()
      size += written
      isTorn = false
    },
    async clear() {
      await handle.truncate(0)
      size = 0
      isTorn = false
      await handle.datasync()
    },
    close: () => handle.close(),
  }
}

/** Makes sure that a new file is found after a power cut. */
const syncDirectory = async (path: string): Promise<void> => {
  const directory = await open(path, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}

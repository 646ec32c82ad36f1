// Writes to a log and records what reaches its files, and when they are flushed. It sees the files after
// each commit, flush and checkpoint, and compares them with how they were before. `traced-writer.ts
// DIRECTORY DURABILITY SEED COUNT TRACE-FILE`.
import fs, { writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { serialize } from 'node:v8'
import { Worker } from 'node:worker_threads'
import { createSessions, performAll } from './operations.ts'
import type { DiskFile, Step, Trace } from './trace.ts'

const [directory = '', durability, seedText, countText, traceFile = ''] = process.argv.slice(2)
const file = join(directory, 'sluice.db')
const walHeaderBytes = 32
const frameBytes = 24 + 4096
const sectorBytes = 512

const steps: Step[] = []
let isRecording = false
let flushes = 0

/** Reads a file through one handle. It is never closed: that would release the locks of SQLite. */
const createImage = (path: string) => {
  let handle: number | undefined
  let last: Buffer = Buffer.alloc(0)
  const read = (): Buffer => {
    handle ??= fs.openSync(path, 'r')
    const bytes = Buffer.alloc(fs.fstatSync(handle).size)
    fs.readSync(handle, bytes, 0, bytes.length, 0)
    return bytes
  }
  return {
    last: () => last,
    /** What has changed since the last look, as steps. */
    look(which: DiskFile): Step[] {
      const [before, now] = [last, read()]
      last = now
      const found: Step[] = []
      if (now.length < before.length) found.push({ kind: 'resize', file: which, size: now.length })
      for (let at = 0; at < now.length; at += sectorBytes) {
        const bytes = now.subarray(at, at + sectorBytes)
        if (bytes.equals(before.subarray(at, at + sectorBytes))) continue
        const run = found.at(-1)
        if (run?.kind === 'write' && run.offset + run.bytes.length === at)
          run.bytes = Buffer.concat([run.bytes, bytes])
        else found.push({ kind: 'write', file: which, offset: at, bytes: Buffer.from(bytes) })
      }
      return found
    },
  }
}
const images = { database: createImage(file), wal: createImage(`${file}-wal`) }

const flushed = (which: DiskFile): Step[] => {
  flushes += 1
  return [
    { kind: 'flushBegin', file: which, id: flushes },
    { kind: 'flushEnd', file: which, id: flushes },
  ]
}

/** The checkpoint in progress: how many frames the WAL had at positions of the trace. */
let checkpoint: { position: number; frames: number }[] | undefined

/** A checkpoint was recorded since the WAL was last used from its start. */
let hasCheckpoint = false

/** How many frames of the WAL belong to its header. Older ones, after them, have another salt. */
const framesIn = (wal: Buffer): number => {
  const saltOf = (at: number) => wal.subarray(at, at + 8)
  const salt = saltOf(16)
  let frames = 0
  while (saltOf(walHeaderBytes + frames * frameBytes + 8).equals(salt)) frames += 1
  return frames
}

/**
 * A checkpoint flushes the WAL, then writes and flushes the database. It began to write no earlier
 * than the WAL had all the frames that it has moved: the steps are inserted there. The flush of the
 * database comes now.
 */
const endCheckpoint = (moved: number): void => {
  if (!checkpoint) return
  hasCheckpoint = true
  const writes = images.database.look('database')
  const begin = checkpoint.find(({ frames }) => frames >= moved)?.position ?? steps.length
  steps.splice(begin, 0, ...flushed('wal'), ...writes)
  steps.push(...flushed('database'))
  checkpoint = undefined
}

const lookAtWal = (): void => {
  if (!isRecording) return
  const before = images.wal.last()
  const found = images.wal.look('wal')
  const now = images.wal.last()
  if (!now.subarray(0, walHeaderBytes).equals(before.subarray(0, walHeaderBytes))) {
    // SQLite uses the WAL from its start again, so it has moved all frames. It flushes the new header.
    endCheckpoint(framesIn(before))
    if (!hasCheckpoint) throw new Error('The WAL began again, but no checkpoint was recorded.')
    hasCheckpoint = false
    const header = Buffer.from(now.subarray(0, walHeaderBytes))
    steps.push({ kind: 'write', file: 'wal', offset: 0, bytes: header }, ...flushed('wal'))
  }
  steps.push(...found)
  checkpoint?.push({ position: steps.length, frames: framesIn(now) })
}

const { prepare } = DatabaseSync.prototype
DatabaseSync.prototype.prepare = function (sql) {
  const statement = prepare.call(this, sql)
  if (sql !== 'COMMIT') return statement
  const run = statement.run.bind(statement)
  statement.run = () => {
    const changes = run()
    lookAtWal()
    return changes
  }
  return statement
}

const { fdatasync } = fs
Object.assign(fs, {
  fdatasync(handle: number, callback: (error: unknown) => void) {
    lookAtWal()
    flushes += 1
    const id = flushes
    if (isRecording) steps.push({ kind: 'flushBegin', file: 'wal', id })
    fdatasync(handle, (error) => {
      if (isRecording) steps.push({ kind: 'flushEnd', file: 'wal', id })
      callback(error)
    })
  },
})
syncBuiltinESMExports()

const { postMessage } = Worker.prototype
Worker.prototype.postMessage = function (...message: Parameters<typeof postMessage>) {
  if (message[0] !== 'close') {
    checkpoint = []
    lookAtWal()
    this.prependOnceListener('message', (result: unknown) => {
      lookAtWal()
      endCheckpoint(Array.isArray(result) ? Number(result[2]) : 0)
    })
  }
  return postMessage.apply(this, message)
}

const { openSqliteLog } = await import('../../../src/log/index.ts')
const log = await openSqliteLog(directory, {
  synchronous: durability === 'normal' ? 'NORMAL' : 'FULL',
  checkpointPages: 24,
})
await createSessions(log)
images.database.look('database')
images.wal.look('wal')
const start = { database: images.database.last(), wal: images.wal.last() }
isRecording = true

await performAll(log, Number(seedText), Number(countText), (number) =>
  steps.push({ kind: 'confirmed', number }),
)
const trace: Trace = { start, steps, begin: 0 }
writeFileSync(traceFile, serialize(trace))
process.exit() // without closing the log, as a power cut would end it

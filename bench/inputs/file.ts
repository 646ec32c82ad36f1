import { closeSync, openSync, writevSync } from 'node:fs'

/** Writes a piece of a stream. */
export type Write = (piece: string | Uint8Array) => void

/** Writes a stream into a file. `scale` 1 is the full size. */
export type Fill = (write: Write, scale: number) => void

const batchSize = 1024 * 1024

/** Writes a file, with many pieces per system call. Pieces may share memory. */
export const writeInput = (path: string, fill: Fill, scale: number): void => {
  const file = openSync(path, 'w')
  let pieces: Uint8Array[] = []
  let size = 0
  const flush = () => {
    if (size === 0) return
    if (writevSync(file, pieces) !== size)
      throw new Error(`${path} could not be written completely.`)
    pieces = []
    size = 0
  }
  fill((piece) => {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece
    pieces.push(bytes)
    size += bytes.length
    if (size >= batchSize || pieces.length >= 1000) flush()
  }, scale)
  flush()
  closeSync(file)
}

/** One line of NDJSON. */
export const jsonLine = (value: unknown): string => `${JSON.stringify(value)}\n`

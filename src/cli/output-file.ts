import { createWriteStream, existsSync, renameSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Fault } from '../shared/fault.ts'
import { exitCodeOfSignal, watchStopSignals } from './signals.ts'
import { systemReason } from './system-reason.ts'

export interface OutputFile {
  /** The path, or `-` for stdout. */
  file: string
  /** Replaces a file that exists. */
  force: boolean
}

/** Throws a fault if the file exists and must not be replaced. */
export const requireFree = ({ file, force }: OutputFile): void => {
  if (file !== '-' && !force && existsSync(file))
    throw new Fault('usage', `${file} exists. Replace it with --force, or choose another -o.`)
}

/**
 * Writes a file that only its owner can read. It appears under its name when it is complete. Returns its
 * size in bytes.
 */
export const writeOutput = async (target: OutputFile, content: Readable): Promise<number> => {
  requireFree(target)
  let size = 0
  content.on('data', (chunk: Uint8Array) => {
    size += chunk.byteLength
  })
  if (target.file === '-') {
    await pipeline(content, process.stdout, { end: false })
    return size
  }
  const path = resolve(target.file)
  const temporary = `${path}.${process.pid}.new`
  const endings = watchStopSignals()
  void endings.first.then((signal) => {
    rmSync(temporary, { force: true })
    process.exit(exitCodeOfSignal(signal))
  })
  try {
    rmSync(temporary, { force: true })
    await pipeline(content, createWriteStream(temporary, { mode: 0o600, flags: 'wx' }))
    renameSync(temporary, path)
    return size
  } catch (cause) {
    rmSync(temporary, { force: true })
    if (!(cause instanceof Error && 'syscall' in cause)) throw cause
    throw new Fault('file_not_written', `Cannot write ${target.file}: ${systemReason(cause)}.`, {
      cause,
    })
  } finally {
    endings.stop()
  }
}

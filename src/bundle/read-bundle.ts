import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { envelope } from '../events/envelope.ts'
import { agentEvent } from '../events/event.ts'
import type { BlobRef, StampedEvent } from '../events/types.ts'
import { createLineReader, lineLimit } from '../lines/lines.ts'
import { blobRefOf } from '../log/blobs/blob-ref.ts'
import { exceededLimit } from '../shared/json-shape.ts'
import {
  type BundleHeader,
  type BundleLine,
  bundleFormat,
  bundleHeader,
  bundleLine,
  bundleVersion,
  latestTime,
} from './bundle-lines.ts'

/** Why a file is refused, in words for the person who has it. */
export class BundleError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'BundleError'
  }
}

/** How much a bundle may hold: a small file can unpack to a very large one. */
export interface BundleLimits {
  /** Bytes after unpacking. */
  bytes: number
  events: number
  /** Bytes of one blob. */
  blobBytes: number
}

export const bundleLimits: BundleLimits = {
  bytes: 4 * 1024 ** 3,
  events: 5_000_000,
  blobBytes: 256 * 1024 * 1024,
}

/** The parts of a bundle, each checked, in the order of the file. */
export type BundleItem =
  | { kind: 'header'; header: BundleHeader }
  | { kind: 'blob'; ref: BlobRef; bytes: Uint8Array }
  | { kind: 'event'; event: StampedEvent }

/** Values in one line, and how deep they are nested: far above what agents send. */
const shapeLimits = { values: 2_000_000, depth: 500 } as const

/**
 * Reads a bundle that a stranger may have made: unpacks it piece by piece and checks every line. Throws
 * a `BundleError` at the first thing that is wrong, also if the file is cut off.
 */
export const readBundle = async function* (
  file: Readable,
  limits: BundleLimits = bundleLimits,
): AsyncGenerator<BundleItem> {
  const checker = createChecker(limits)
  for await (const line of unpackedLines(file, limits)) {
    const item = checker.push(line)
    if (item) yield item
  }
  checker.end()
}

/** The lines of a gzip file; each is as long as an event may be. */
const unpackedLines = async function* (
  file: Readable,
  limits: BundleLimits,
): AsyncGenerator<string> {
  const found: string[] = []
  const fail = (message: string) => () => {
    throw new BundleError(message)
  }
  const lines = createLineReader<never>({
    line: (text) => void found.push(text),
    value() {},
    oversize: fail(`A line of the file is longer than ${lineLimit / 1024 / 1024} MiB.`),
    malformed: fail('A line of the file is not valid JSON.'),
    torn: fail(cutOff),
  })
  const unpacked = file.pipe(createGunzip())
  const onError = (cause: Error) => unpacked.destroy(cause)
  file.once('error', onError)
  let size = 0
  try {
    for await (const chunk of unpacked) {
      if (!(chunk instanceof Uint8Array)) continue
      size += chunk.byteLength
      if (size > limits.bytes)
        throw new BundleError(
          `The file unpacks to more than ${Math.round(limits.bytes / 1024 ** 2)} MiB, the limit.`,
        )
      lines.push(chunk)
      yield* found.splice(0)
    }
    lines.end()
    yield* found.splice(0)
  } catch (cause) {
    throw asBundleError(cause)
  } finally {
    // The caller closes the file: it may be a request that still gets a response.
    file.off('error', onError)
    file.unpipe(unpacked)
    unpacked.destroy()
  }
}

const cutOff = 'The file is cut off. Copy it again, or export the session again.'
const notOurs = 'The file is not a session that `sluice export` has written.'

const asBundleError = (cause: unknown): unknown => {
  if (!(cause instanceof Error) || !('code' in cause)) return cause
  if (cause.code === 'Z_BUF_ERROR') return new BundleError(cutOff, { cause })
  return typeof cause.code === 'string' && cause.code.startsWith('Z_')
    ? new BundleError(notOurs, { cause })
    : cause
}

interface OpenBlob {
  ref: BlobRef
  parts: Uint8Array[]
  size: number
}

/** Checks lines in their order: header, blobs, events, end. */
const createChecker = (limits: BundleLimits) => {
  let header: BundleHeader | undefined
  let blob: OpenBlob | undefined
  let events = 0
  let blobs = 0
  let hasEnded = false

  const finishBlob = (): BundleItem | undefined => {
    if (!blob || blob.size < blob.ref.size) return undefined
    const { ref, parts } = blob
    blob = undefined
    blobs += 1
    const bytes = Buffer.concat(parts)
    const { hash, size } = blobRefOf(bytes)
    if (hash !== ref.hash || size !== ref.size)
      throw new BundleError(`Blob ${blobs} is not what its line says. The file is damaged.`)
    return { kind: 'blob', ref, bytes }
  }

  const push = (line: BundleLine): BundleItem | undefined => {
    if (blob && line.type !== 'part') throw new BundleError('A blob of the file is not complete.')
    switch (line.type) {
      case 'header':
        throw new BundleError('The file has two headers.')
      case 'blob': {
        const { type, ...ref } = line
        if (events > 0) throw new BundleError('The file has a blob behind its events.')
        if (ref.size > limits.blobBytes) throw new BundleError('A blob of the file is too large.')
        blob = { ref, parts: [], size: 0 }
        return finishBlob()
      }
      case 'part': {
        const bytes = Buffer.from(line.data, 'base64')
        if (!blob || bytes.length === 0) throw new BundleError('The file has a part of no blob.')
        blob.parts.push(bytes)
        blob.size += bytes.length
        return finishBlob()
      }
      case 'event':
        events += 1
        if (events > limits.events)
          throw new BundleError(`The file has more than ${limits.events} events, the limit.`)
        return { kind: 'event', event: checkedEvent(line.event, events) }
      case 'end':
        hasEnded = true
        if (line.events === events && line.blobs === blobs) return undefined
        throw new BundleError('The file does not hold what its last line says. It is damaged.')
    }
  }

  return {
    push(text: string): BundleItem | undefined {
      if (hasEnded) throw new BundleError('The file has more lines behind its end.')
      if (header) return push(checkedLine(text))
      header = checkedHeader(text)
      return { kind: 'header', header }
    },
    end() {
      if (!header) throw new BundleError(notOurs)
      if (!hasEnded) throw new BundleError(cutOff)
    },
  }
}

const parsed = (text: string): unknown => {
  if (exceededLimit(text, shapeLimits)) throw new BundleError('A line of the file is too complex.')
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new BundleError('A line of the file is not valid JSON.', { cause })
  }
}

const checkedHeader = (text: string): BundleHeader => {
  const value = text.startsWith('{') ? parsed(text) : undefined
  if (typeof value !== 'object' || value === null || Reflect.get(value, 'format') !== bundleFormat)
    throw new BundleError(notOurs)
  const version: unknown = Reflect.get(value, 'version')
  if (typeof version === 'number' && version > bundleVersion)
    throw new BundleError(
      `A newer version of Sluice wrote the file (format ${version}). Update Sluice, then try again.`,
    )
  const { data, error } = bundleHeader.safeParse(value)
  if (data) return data
  throw new BundleError('The header of the file is not valid.', { cause: error })
}

const checkedLine = (text: string): BundleLine => {
  const { data, error } = bundleLine.safeParse(parsed(text))
  if (data) return data
  throw new BundleError('A line of the file is not valid.', { cause: error })
}

/** An event with the place that it must have. `readUpTo` is about a file of the exporting machine. */
const checkedEvent = (
  { sessionId, seq, timestamp, readUpTo, ...event }: Record<string, unknown>,
  expected: number,
): StampedEvent => {
  const stamp = envelope.safeParse({ sessionId, seq, timestamp })
  if (!stamp.success || stamp.data.seq !== expected)
    throw new BundleError(`Event ${expected} of the file has no number, or another one.`)
  if (Math.abs(stamp.data.timestamp) > latestTime)
    throw new BundleError(`Event ${expected} of the file has no valid time.`)
  const checked = agentEvent.safeParse(event)
  if (checked.success) return { ...checked.data, ...stamp.data }
  throw new BundleError(
    `Event ${expected} of the file is not valid. Another version of Sluice may have written it.`,
    { cause: checked.error },
  )
}

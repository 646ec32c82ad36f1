import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { isBlobRef } from '../events/blob-preview.ts'
import type { BlobRef, StampedEvent } from '../events/types.ts'
import { blobRefOf } from '../log/blobs/blob-ref.ts'
import { previewOf, previewOfText } from '../log/blobs/preview.ts'
import type { BlobStore, EventStore } from '../log/log.ts'
import type { SessionRecord } from '../log/types.ts'
import { createEventRedactor, type EventRedactor } from '../redact/redact-events.ts'
import type { RedactOptions } from '../redact/redact-text.ts'
import { placeholderImage, type RedactedBlob } from '../redact/redact-value.ts'
import { defined } from '../shared/fields.ts'
import { type BundleHeader, bundleFormat, bundleVersion, partBytes } from './bundle-lines.ts'

/** Where the session comes from: a log, or a reader of one. */
export interface BundleSource extends Pick<EventStore, 'read' | 'head'> {
  readonly blobs: Pick<BlobStore, 'get'>
}

export interface WriteBundleOptions {
  /** The version of this program. */
  version: string
  now: number
  /** Hides keys, tokens, addresses and home paths. */
  redact?: RedactOptions & { keepImages?: boolean }
}

/** What a bundle holds, before it is written as lines. */
export interface BundleContent {
  header: BundleHeader
  blobs(): AsyncIterable<{ ref: BlobRef; bytes: Uint8Array }>
  events(): AsyncIterable<object>
}

/**
 * The content of a bundle. The events are read twice: first to find the blobs, and the keys that are
 * split over several events; then to write them. Events that come meanwhile are left out.
 */
export const bundleContent = async (
  source: BundleSource,
  record: SessionRecord,
  options: WriteBundleOptions,
): Promise<BundleContent> => {
  const head = await source.head(record.id)
  const read = () => source.read(record.id, 0, head)
  const replaced = new Map<string, RedactedBlob>()
  const redactor =
    options.redact && createEventRedactor({ ...options.redact, blob: (hash) => replaced.get(hash) })
  const refs = new Map<string, BlobRef>()
  let events = 0
  for await (const event of read()) {
    redactor?.inspect(event)
    collectRefs(event, refs)
    events += 1
  }

  return {
    header: headerOf(record, options, { events, blobs: refs.size }, redactor),
    async *blobs() {
      for (const ref of refs.values()) {
        const blob = await source.blobs.get(ref.hash)
        // One that is damaged or missing is missing in the bundle, too.
        if (!blob) continue
        const mimeType = ref.mimeType ?? blob.mimeType
        if (!redactor) yield { ref: blobRefOf(blob.bytes, mimeType), bytes: blob.bytes }
        else {
          const keepImages = options.redact?.keepImages === true
          const { bytes, ...redacted } = redactBlob(blob.bytes, mimeType, redactor, keepImages)
          replaced.set(ref.hash, redacted)
          yield { ref: redacted.ref, bytes }
        }
      }
    },
    async *events() {
      // `readUpTo` is about the agent’s file on this machine, which is not part of the session.
      for await (const { readUpTo, ...event } of read())
        yield redactor ? redactor.redact(event) : event
    },
  }
}

/** How many characters are passed on at once: one line at a time takes longer. */
const chunkChars = 64 * 1024

/** The lines of a bundle, many at once. Only a few of them are in memory. */
export const bundleText = async function* (content: BundleContent): AsyncGenerator<string> {
  let chunk = ''
  for await (const line of linesOf(content)) {
    chunk += line
    if (chunk.length < chunkChars) continue
    yield chunk
    chunk = ''
  }
  yield chunk
}

/** The bytes of a bundle. They fail with the error that ends the reading of its session. */
export const bundleFile = (content: BundleContent): Readable =>
  // `pipe` would leave an error of the first stream to nobody, which ends the process.
  pipeline(Readable.from(bundleText(content)), createGzip(), () => {})

const linesOf = async function* (content: BundleContent): AsyncGenerator<string> {
  const counts = { events: 0, blobs: 0 }
  yield `${JSON.stringify(content.header)}\n`
  for await (const { ref, bytes } of content.blobs()) {
    yield `${JSON.stringify({ type: 'blob', ...ref })}\n`
    for (let at = 0; at < bytes.byteLength; at += partBytes) {
      const data = Buffer.from(bytes.subarray(at, at + partBytes)).toString('base64')
      yield `${JSON.stringify({ type: 'part', data })}\n`
    }
    counts.blobs += 1
  }
  for await (const event of content.events()) {
    yield `${JSON.stringify({ type: 'event', event })}\n`
    counts.events += 1
  }
  yield `${JSON.stringify({ type: 'end', ...counts })}\n`
}

const headerOf = (
  record: SessionRecord,
  { version, now, redact }: WriteBundleOptions,
  counts: { events: number; blobs: number },
  redactor: EventRedactor | undefined,
): BundleHeader => {
  const { id, agent, model, permissionMode, createdAt, lastActivity } = record
  const hide = (text: string | undefined) =>
    text === undefined ? undefined : (redactor?.text(text) ?? text).slice(0, 1000)
  return {
    type: 'header',
    ...{ format: bundleFormat, version: bundleVersion, sluice: version, exportedAt: now },
    redacted: redact !== undefined || record.imported?.redacted === true,
    session: {
      ...{ id, agent, createdAt, cwd: hide(record.cwd) ?? '' },
      ...defined({ name: hide(record.name), title: hide(record.title) }),
      ...defined({ model, permissionMode, lastActivity }),
    },
    ...counts,
  }
}

/** Adds the blobs that an event refers to. */
const collectRefs = (event: StampedEvent, refs: Map<string, BlobRef>): void => {
  const stack: unknown[] = [event]
  while (stack.length > 0) {
    const value = stack.pop()
    if (typeof value !== 'object' || value === null) continue
    if (isBlobRef(value)) refs.set(value.hash, value)
    else for (const each of Object.values(value)) stack.push(each)
  }
}

/** What no rule can read, such as an image, is replaced by a grey pixel. */
const redactBlob = (
  bytes: Uint8Array,
  mimeType: string | undefined,
  redactor: EventRedactor,
  keepImages: boolean,
): RedactedBlob & { bytes: Uint8Array } => {
  if (mimeType === 'text/plain') {
    const text = redactor.text(new TextDecoder().decode(bytes))
    const redacted = Buffer.from(text)
    return {
      ...{ ref: blobRefOf(redacted, mimeType), bytes: redacted, preview: previewOfText(text) },
    }
  }
  const parsed = mimeType === 'application/json' ? parsedJson(bytes) : undefined
  if (parsed !== undefined) {
    const value = redactor.value(parsed)
    const redacted = Buffer.from(JSON.stringify(value))
    const preview = typeof value === 'string' ? previewOfText(value) : previewOf(value)
    return { ref: blobRefOf(redacted, mimeType), bytes: redacted, preview }
  }
  if (keepImages && mimeType?.startsWith('image/'))
    return { ref: blobRefOf(bytes, mimeType), bytes, preview: '' }
  const image = Buffer.from(placeholderImage.data, 'base64')
  return { ref: blobRefOf(image, placeholderImage.mimeType), bytes: image, preview: '' }
}

/** Undefined if it is no JSON: the blob of an imported session can hold anything. */
const parsedJson = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return undefined
  }
}

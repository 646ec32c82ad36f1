import { z } from 'zod'
import { blobRef } from '../events/blob-ref.ts'

/** The format of a session in one file: gzip of JSON lines. */
export const bundleFormat = 'sluice-session'
/** A reader refuses files of a higher version. Raise it when an older reader would misread a file. */
export const bundleVersion = 1

/** The latest time that a date can have: a page that shows a later one fails. */
export const latestTime = 8.64e15
const time = z.number().int().nonnegative().max(latestTime)
const label = z.string().max(1000)

/** The first line. */
export const bundleHeader = z.object({
  type: z.literal('header'),
  format: z.literal(bundleFormat),
  version: z.number().int().positive(),
  /** The version of Sluice that wrote the file. */
  sluice: label,
  exportedAt: time,
  redacted: z.boolean(),
  session: z.object({
    /** The id that the session had where it was exported. */
    id: label,
    agent: z.string().min(1).max(100),
    cwd: z.string().max(8000),
    name: label.optional(),
    title: label.optional(),
    model: label.optional(),
    permissionMode: label.optional(),
    createdAt: time,
    lastActivity: time.optional(),
  }),
  events: z.number().int().nonnegative(),
  blobs: z.number().int().nonnegative(),
})

/** A blob starts. Lines of the type `part` with its bytes follow, as many as its size needs. */
export const bundleBlob = z.object({ type: z.literal('blob'), ...blobRef.shape })
export const bundlePart = z.object({ type: z.literal('part'), data: z.base64() })
/** One event, as in the log. */
export const bundleEvent = z.object({ type: z.literal('event'), event: z.looseObject({}) })
/** The last line. A file without it was cut off. */
export const bundleEnd = z.object({
  type: z.literal('end'),
  events: z.number().int().nonnegative(),
  blobs: z.number().int().nonnegative(),
})

export const bundleLine = z.discriminatedUnion('type', [
  bundleHeader,
  bundleBlob,
  bundlePart,
  bundleEvent,
  bundleEnd,
])

export type BundleHeader = z.infer<typeof bundleHeader>
export type BundleLine = z.infer<typeof bundleLine>

/** How many bytes of a blob one line holds. */
export const partBytes = 768 * 1024

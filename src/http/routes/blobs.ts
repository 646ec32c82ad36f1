import { z } from 'zod'
import { Problem } from '../../shared/problem.ts'
import { route } from './route.ts'

/** What a browser may show by itself; all else is only for saving. */
const shown = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'text/plain'])

const hash = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .describe('SHA-256 of the bytes, in hex.')

/** Large output that was taken out of events. */
export const blobRoutes = [
  route({
    method: 'GET',
    path: '/blobs/:hash',
    scope: 'read',
    tag: 'Blobs',
    summary: 'The bytes behind a reference in an event',
    parts: { params: z.strictObject({ hash }) },
    reply: { status: 200, mediaTypes: ['application/octet-stream', ...shown] },
    problems: ['unknown_blob'],
    async handle({ params }, { world }) {
      const blob = await world.log.blobs.get(params.hash)
      if (!blob) throw new Problem(404, 'unknown_blob', `There is no blob ${params.hash}.`)
      const type =
        blob.mimeType !== undefined && shown.has(blob.mimeType) ? blob.mimeType : undefined
      return {
        status: 200,
        bytes: blob.bytes,
        headers: {
          'Content-Type': type === 'text/plain' ? `${type}; charset=utf-8` : (type ?? fallback),
          ...(type === undefined && { 'Content-Disposition': 'attachment' }),
          // The name is the content: it never changes.
          'Cache-Control': 'private, max-age=31536000, immutable',
          ETag: `"${params.hash}"`,
        },
      }
    },
  }),
]

const fallback = 'application/octet-stream'

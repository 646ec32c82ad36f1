import { z } from 'zod'
import { Problem } from '../../shared/problem.ts'
import { endpoints } from '../endpoints.ts'
import { route } from './route.ts'

/** Types that a browser may display. Everything else is a download, so that nothing in it runs. */
const displayable = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'text/plain'])
const download = 'application/octet-stream'

const hash = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .describe('SHA-256 of the bytes, in hex.')

/** Large outputs that are stored apart from their events. */
export const blobRoutes = [
  route({
    endpoint: endpoints.getBlob,
    tag: 'Blobs',
    summary: 'Get the bytes that an event refers to',
    parts: { params: z.strictObject({ hash }) },
    reply: { status: 200, mediaTypes: [download, ...displayable] },
    problems: ['unknown_blob'],
    async handle({ params }, { app }) {
      const blob = await app.log.blobs.get(params.hash)
      if (!blob) throw new Problem(404, 'unknown_blob', `There is no blob ${params.hash}.`)
      return {
        status: 200,
        bytes: blob.bytes,
        headers: {
          ...typeHeaders(blob.mimeType),
          // The hash names the content, so the content never changes.
          'Cache-Control': 'private, max-age=31536000, immutable',
          ETag: `"${params.hash}"`,
        },
      }
    },
  }),
]

const typeHeaders = (type: string | undefined): Record<string, string> => {
  if (type === undefined || !displayable.has(type))
    return { 'Content-Type': download, 'Content-Disposition': 'attachment' }
  return { 'Content-Type': type === 'text/plain' ? `${type}; charset=utf-8` : type }
}

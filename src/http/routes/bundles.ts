import { sessionInfo } from '../../api/session.ts'
import { sessionName } from '../../api/session-name.ts'
import { importBundle } from '../../bundle/import-bundle.ts'
import { BundleError } from '../../bundle/read-bundle.ts'
import { bundleContent, bundleFile, type WriteBundleOptions } from '../../bundle/write-bundle.ts'
import type { SessionRecord } from '../../log/types.ts'
import { Problem } from '../../shared/problem.ts'
import { sessionInfoOf } from '../../streams/overview/summaries.ts'
import type { AppContext } from '../app-context.ts'
import { apiBase, endpoints } from '../endpoints.ts'
import type { RouteResponse } from '../send-response.ts'
import { route } from './route.ts'

/** How much a bundle may unpack to, when it arrives over HTTP. */
const limits = { bytes: 1024 ** 3, events: 1_000_000, blobBytes: 64 * 1024 ** 2 }

/** Sessions from files. */
export const bundleRoutes = [
  route({
    endpoint: endpoints.importSession,
    tag: 'Sessions',
    summary: 'Import a session from a file',
    description:
      'The body is a file that `sluice export` or `GET sessions/:id/export?format=sluice` has written, as it is. The session is read-only, and belongs to no project. If the file is refused, nothing of it is stored.',
    parts: {},
    reply: { status: 201, schema: sessionInfo },
    problems: ['invalid', 'disk_full'],
    async handle(_, { app, audit, access, request }) {
      const options = { now: app.now, limits, creatorId: access.keyId }
      const record = await importBundle(app.log, request, options).catch((cause: unknown) => {
        if (!(cause instanceof BundleError)) throw cause
        throw new Problem(422, 'invalid', cause.message)
      })
      audit({ action: 'session_imported', sessionId: record.id, detail: sessionName(record) })
      app.streams.publishLifecycle({ type: 'session_created', session: record })
      return {
        status: 201,
        body: sessionInfoOf(record, app.streams.summaryOf(record.id)),
        headers: { Location: `${apiBase}/sessions/${record.id}` },
      }
    },
  }),
]

/** The response with a session as one file. */
export const bundleResponse = async (
  { log, version, now }: AppContext,
  record: SessionRecord,
  redact: WriteBundleOptions['redact'],
): Promise<RouteResponse> => {
  const options = { version, now: now(), ...(redact && { redact }) }
  const content = await bundleContent(log, record, options)
  return {
    status: 200,
    headers: {
      'Content-Type': 'application/gzip',
      'Content-Disposition': `attachment; filename="${record.id}.sluice"`,
    },
    chunks: bundleFile(content),
  }
}

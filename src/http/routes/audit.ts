import { auditPage, auditQuery } from '../../api/audit.ts'
import { endpoints } from '../endpoints.ts'
import { route } from './route.ts'

/** Who did what. */
export const auditRoutes = [
  route({
    endpoint: endpoints.listAudit,
    tag: 'Audit',
    summary: 'List who did what, newest first, in pages',
    description:
      'Entries cannot be changed or deleted, and stay when their session is deleted. Commands that were refused are not listed. Of failed sign-ins, at most 20 in a minute are.',
    parts: { query: auditQuery },
    reply: { status: 200, schema: auditPage },
    async handle({ query: { limit = 100, ...filter } }, { app }) {
      // One more than requested shows whether there is a next page.
      const found = await app.log.audit.list({ ...filter, limit: limit + 1 })
      const entries = found.slice(0, limit)
      const last = entries.at(-1)
      return {
        status: 200,
        body: { entries, ...(found.length > limit && last && { next: last.id }) },
      }
    },
  }),
]

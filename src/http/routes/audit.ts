import { auditPage, auditQuery } from '../../api/audit.ts'
import { listAuditPage } from '../../log/audit-page.ts'
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
    handle: async ({ query }, { app }) => ({
      status: 200,
      body: await listAuditPage(app.log.audit, query),
    }),
  }),
]

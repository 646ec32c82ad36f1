import type { AuditEntry } from '../events/types.ts'
import type { Log } from '../log/log.ts'

const pageSize = 500

/** The entries of the audit, oldest first. A log lists them newest first, so each page is found by its ids. */
export async function* auditEntries({ audit }: Pick<Log, 'audit'>): AsyncGenerator<AuditEntry> {
  const last = (await audit.list({ limit: 1 }))[0]?.id ?? 0
  for (let after = 0; after < last; after += pageSize) {
    const page = await audit.list({ before: after + pageSize + 1, limit: pageSize })
    yield* page.filter(({ id }) => id > after).reverse()
  }
}

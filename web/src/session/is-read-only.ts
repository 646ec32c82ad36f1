import type { SessionInfo } from '../../../src/api/index.ts'

/** Whether a session takes no messages, because it was imported or its agent runs elsewhere. */
export const isReadOnly = (session: SessionInfo | undefined): boolean =>
  session?.imported !== undefined || session?.watched !== undefined

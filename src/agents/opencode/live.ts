import { createAcpLive } from '../acp/live.ts'
import type { Live } from '../live.ts'
import { openCodeEntry } from './entry.ts'

/** OpenCode over the Agent Client Protocol. */
export const openCodeLive: Live = createAcpLive({
  agent: openCodeEntry.name,
  title: openCodeEntry.title,
  login: openCodeEntry.login,
  args: ({ extra = [] }) => ['acp', ...extra],
})

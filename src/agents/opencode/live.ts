import { createAcpLive } from '../acp/live.ts'
import type { Live } from '../live.ts'
import { openCodeEntry } from './entry.ts'

/** OpenCode over the Agent Client Protocol. */
export const openCodeLive: Live = createAcpLive({
  agent: openCodeEntry.name,
  title: openCodeEntry.title,
  args: ({ extra = [] }) => ['acp', ...extra],
})

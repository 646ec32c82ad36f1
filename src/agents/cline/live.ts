import { createAcpLive } from '../acp/live.ts'
import { clineEntry } from './entry.ts'

/**
 * Drives Cline over the Agent Client Protocol. It starts a session only after a sign-in: a key in its
 * settings is not enough.
 */
export const clineLive = createAcpLive({
  agent: clineEntry.name,
  title: clineEntry.title,
  login: clineEntry.login,
  args: ({ model, extra = [] }) => [
    '--acp',
    ...(model === undefined ? [] : ['--model', model]),
    ...extra,
  ],
})

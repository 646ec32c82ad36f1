import { createAcpLive } from '../acp/live.ts'
import { copilotEntry } from './entry.ts'

/** Drives Copilot over the Agent Client Protocol. It asks by itself before a tool runs. */
export const copilotLive = createAcpLive({
  agent: copilotEntry.name,
  title: copilotEntry.title,
  login: copilotEntry.login,
  args: ({ model, extra = [] }) => [
    '--acp',
    '--no-auto-update',
    ...(model === undefined ? [] : [`--model=${model}`]),
    ...extra,
  ],
})

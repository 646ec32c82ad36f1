import type { Agent } from '../agent.ts'
import { createAcpDecoder } from './decode.ts'
import { acpEntry } from './entry.ts'
import { acpKnownCall } from './known-calls.ts'
import { createAcpLive } from './live.ts'

/** Any agent that speaks the Agent Client Protocol. */
export const acp: Agent = {
  ...acpEntry,
  stopSignals: ['SIGINT', 'SIGTERM', 'SIGKILL'],
  // The protocol has no runs of one prompt: such an agent is always driven.
  command: (_prompt, { extra = [] } = {}) => [...extra],
  createDecoder: (options) => createAcpDecoder(options),
  knownCall: acpKnownCall,
  live: createAcpLive({
    agent: acpEntry.name,
    title: acpEntry.title,
    args: ({ extra = [] }) => [...extra],
  }),
}

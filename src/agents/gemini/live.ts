import { createAcpLive } from '../acp/live.ts'
import type { Live } from '../live.ts'
import { geminiEntry } from './entry.ts'

/** Gemini CLI over the Agent Client Protocol. */
export const geminiLive: Live = createAcpLive({
  agent: geminiEntry.name,
  title: geminiEntry.title,
  args: ({ model, start = {}, extra = [] }) => [
    '--acp',
    ...(model === undefined ? [] : ['--model', model]),
    ...(start.directories ?? []).flatMap((each) => ['--include-directories', each]),
    ...extra,
  ],
})

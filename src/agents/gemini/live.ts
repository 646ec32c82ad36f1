import { createAcpLive } from '../acp/live.ts'
import type { Live } from '../live.ts'
import { geminiEntry } from './entry.ts'

/** Gemini CLI over the Agent Client Protocol. */
export const geminiLive: Live = createAcpLive({
  agent: geminiEntry.name,
  title: geminiEntry.title,
  login: geminiEntry.login,
  // It does not understand that a file is missing, if its client says so.
  readsItself: true,
  args: ({ model, start = {}, extra = [] }) => [
    '--acp',
    ...(model === undefined ? [] : ['--model', model]),
    ...(start.directories ?? []).flatMap((each) => ['--include-directories', each]),
    ...extra,
  ],
})

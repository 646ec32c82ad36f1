import { createAcpLive } from '../acp/live.ts'
import type { Live } from '../live.ts'
import { qwenEntry } from './entry.ts'

/**
 * Qwen Code over the Agent Client Protocol. Its own protocol on stdin denies a call by itself after
 * ten minutes at most, and runs a call with its old arguments where a person has changed them.
 */
export const qwenLive: Live = createAcpLive({
  agent: qwenEntry.name,
  title: qwenEntry.title,
  login: qwenEntry.login,
  args: ({ model, start = {}, extra = [] }) => [
    '--acp',
    ...(extra.some(isAboutApprovals) ? [] : ['--approval-mode', start.mode ?? 'default']),
    ...(model === undefined ? [] : ['--model', model]),
    ...(start.directories ?? []).flatMap((each) => ['--include-directories', each]),
    ...extra,
  ],
})

/** By default a model decides about its calls, and no person. Flags of a person win. */
const isAboutApprovals = (flag: string): boolean =>
  /^(?:--approval-mode(?:=.*)?|--yolo|-y)$/.test(flag)

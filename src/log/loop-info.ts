import { startInfoOf } from '../events/start-info.ts'
import type { LoopInfo } from '../events/types.ts'
import { shortened } from '../shared/shortened.ts'
import type { LoopRecord } from './types.ts'

/** A loop as clients see it: without who created and runs it, and without secrets. */
export const loopInfoOf = (record: LoopRecord): LoopInfo => {
  const { runner: _, by: __, creatorId: ___, lastText: ____, start, ...info } = record
  return { ...info, ...(start && { start: startInfoOf(start) }) }
}

/** How much of a prompt lists and events show. */
const promptLength = 1000

/** The same for lists and events, with the beginning of a long prompt. */
export const loopSummaryOf = (record: LoopRecord): LoopInfo => {
  const { prompt, ...info } = loopInfoOf(record)
  return { ...info, ...(prompt !== undefined && { prompt: shortened(prompt, promptLength) }) }
}

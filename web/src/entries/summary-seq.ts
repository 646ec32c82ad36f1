import type { Entry } from '../../../src/transcript/index.ts'

/** The event before which all that a summary stands for was still there. */
export const summarySeq = (entry: Entry): number | undefined => {
  const number = entry.kind === 'message' && /^compaction-(\d+)$/.exec(entry.messageId)?.[1]
  return number ? Number(number) : undefined
}

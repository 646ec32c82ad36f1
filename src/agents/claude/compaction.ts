import type { KeptFrom } from '../../events/types.ts'
import {
  countOf,
  defined,
  type Fields,
  fieldsOf,
  listOf,
  ownValue,
  stringOf,
} from '../../shared/fields.ts'
import type { Emit } from '../emit.ts'

const reasons: Readonly<Record<string, string>> = { auto: 'threshold', manual: 'manual' }

/** What a boundary says about its compaction. */
interface Boundary {
  reason?: string
  tokensBefore?: number
  tokensAfter?: number
  keptFrom?: KeptFrom
}

/**
 * A compaction arrives in parts: a status, its result, a boundary with the numbers, then the summary
 * as a user message. Old versions have the boundary only.
 */
export interface CompactionTracker {
  /** A line of the main conversation. A boundary may name it as the first that Claude keeps. */
  note(line: Fields): void
  start(): void
  /** The status line that ends a compaction. After a success, the boundary has the details. */
  outcome(line: Fields): void
  boundary(line: Fields): void
  /** Whether a user text is the summary that the boundary announced. */
  acceptsSummary(text: string): boolean
  /** The conversation continues, so no summary will come. */
  conversationContinues(): void
  /** The stream is over. */
  close(): void
}

export const createCompactionTracker = (emit: Emit): CompactionTracker => {
  let isRunning = false
  let boundary: Boundary | undefined
  const lines = createLineNames()

  const start = (reason?: string) => {
    if (isRunning) return
    isRunning = true
    emit({ type: 'compaction_start', ...defined({ reason }) })
  }

  const end = (outcome: { summary?: string; errorMessage?: string; aborted?: boolean }) => {
    if (!isRunning) return
    isRunning = false
    emit({ type: 'compaction_end', ...boundary, ...outcome })
    boundary = undefined
  }

  return {
    note: lines.add,
    start,
    outcome(line) {
      if (line.compact_result === 'failed')
        end({ errorMessage: stringOf(line.compact_error) ?? 'compaction failed' })
    },
    boundary(line) {
      const metadata = fieldsOf(line.compact_metadata)
      const trigger = stringOf(metadata.trigger)
      const reason = trigger === undefined ? undefined : (ownValue(reasons, trigger) ?? trigger)
      start(reason)
      boundary = defined({
        reason,
        tokensBefore: countOf(metadata.pre_tokens),
        tokensAfter: countOf(metadata.post_tokens),
        keptFrom: lines.find(stringOf(fieldsOf(metadata.preserved_segment).head_uuid)),
      })
    },
    acceptsSummary(text) {
      if (!boundary) return false
      end({ summary: text })
      return true
    },
    conversationContinues() {
      if (boundary) end({})
    },
    close() {
      if (boundary) end({})
      else end({ aborted: true })
    },
  }
}

/** How many lines are remembered. Claude keeps only the latest messages. */
const rememberedLines = 1024

/** What events call the message or the tool call of a line, by the id of the line. */
const createLineNames = () => {
  const names = new Map<string, KeptFrom>()
  return {
    add(line: Fields): void {
      const uuid = stringOf(line.uuid)
      if (uuid === undefined || stringOf(line.parent_tool_use_id) !== undefined) return
      names.set(uuid, nameOf(line, uuid))
      const [oldest] = names.size > rememberedLines ? names.keys() : []
      if (oldest !== undefined) names.delete(oldest)
    },
    find: (uuid: string | undefined) => (uuid === undefined ? undefined : names.get(uuid)),
  }
}

/** A prompt has another id if Sluice sent it, so its name has its time, too. */
const nameOf = (line: Fields, uuid: string): KeptFrom => {
  const { id, content } = fieldsOf(line.message)
  if (line.type === 'assistant') return { id: stringOf(id) ?? uuid }
  const toolCallId = stringOf(fieldsOf(listOf(content)[0]).tool_use_id)
  if (toolCallId !== undefined) return { id: toolCallId }
  const timestamp = Date.parse(stringOf(line.timestamp) ?? '')
  return { id: uuid, role: 'user', ...(!Number.isNaN(timestamp) && { timestamp }) }
}

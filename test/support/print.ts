import { createHash } from 'node:crypto'
import type { AgentEvent } from '../../src/events/types.ts'

const longest = 120

/** Prints events for a golden: one per line, with consecutive deltas joined. */
export const printEvents = (events: readonly AgentEvent[]): string => {
  const lines: string[] = []
  let run: { key: string; text: string; count: number } | undefined
  const flush = () => {
    if (run) lines.push(`${run.key} ×${run.count} ${JSON.stringify(short(run.text))}`)
    run = undefined
  }
  for (const event of events) {
    const delta = deltaOf(event)
    if (!delta || delta.key !== run?.key) flush()
    if (delta)
      run = { key: delta.key, text: (run?.text ?? '') + delta.text, count: (run?.count ?? 0) + 1 }
    else lines.push(printEvent(event))
  }
  flush()
  return `${lines.join('\n')}\n`
}

const deltaOf = (event: AgentEvent): { key: string; text: string } | undefined => {
  if (event.type !== 'message_update') return undefined
  const update = event.assistantMessageEvent
  const where = event.parentToolCallId ? ` in ${event.parentToolCallId}` : ''
  if (update.type === 'text_delta' || update.type === 'thinking_delta')
    return {
      key: `${update.type} ${event.messageId}#${update.contentIndex}${where}`,
      text: update.delta,
    }
  if (update.type === 'tool_use_input_delta')
    return { key: `${update.type} ${update.toolCallId}${where}`, text: update.partialInput }
  return undefined
}

const printEvent = ({ type, ...fields }: AgentEvent): string =>
  `${type} ${JSON.stringify(fields, (_, value: unknown) =>
    typeof value === 'string' ? short(value) : value,
  )}`

/** Shortens a long text to its beginning, its length and a hash, so that every change shows. */
const short = (text: string): string => {
  if (text.length <= longest) return text
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 8)
  return `${text.slice(0, longest / 2)}… (${text.length} characters, ${hash})`
}

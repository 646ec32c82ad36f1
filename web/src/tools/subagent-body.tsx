import { useState } from 'react'
import { stringIn } from '../../../src/shared/fields.ts'
import type { ToolEntry } from '../../../src/transcript/index.ts'
import { type EntryRow, entryRows } from '../entries/entry-rows.ts'
import { EntryView } from '../entries/entry-view.tsx'
import { Markdown } from '../markdown/markdown.tsx'
import { useThread } from '../session/session-scope.ts'
import { OutputView } from './output-view.tsx'

/** How many entries of a subagent are shown at first. */
const firstEntries = 12

/** A subagent: its task, its conversation and its result. */
export const SubagentBody = ({ entry }: { entry: ToolEntry }) => {
  const thread = useThread(entry.toolCallId)
  const [showsAll, setShowsAll] = useState(false)
  const rows = thread ? entryRows(thread) : []
  const hidden = showsAll ? 0 : Math.max(0, rows.length - firstEntries)
  const prompt = startsWithPrompt(rows)
    ? undefined
    : (thread?.subagent?.prompt ?? stringIn(entry.args, 'prompt'))
  return (
    <div className="subagent">
      {prompt !== undefined && <p className="subagent-prompt">{prompt}</p>}
      {hidden > 0 && (
        <button type="button" className="quiet-button" onClick={() => setShowsAll(true)}>
          Show {hidden} earlier entries
        </button>
      )}
      {rows.slice(hidden).map((row) => (
        <EntryView key={row.key} row={row} />
      ))}
      {entry.result && rows.length === 0 && <ResultText entry={entry} />}
    </div>
  )
}

/** Some agents repeat the prompt as the first message. */
const startsWithPrompt = ([first]: readonly EntryRow[]): boolean =>
  first?.entry.kind === 'message' && first.entry.message.role === 'user'

const ResultText = ({ entry }: { entry: ToolEntry }) => {
  const text = entry.result?.content
    .map((block) => (block.type === 'text' && typeof block.text === 'string' ? block.text : ''))
    .join('\n')
  if (!text) return <OutputView entry={entry} end="head" />
  return <Markdown text={text} isStreaming={false} />
}

import { memo } from 'react'
import type { ToolEntry } from '../../../src/transcript/index.ts'
import { ErrorBoundary } from '../parts/error-boundary.tsx'
import { ShownAsText } from '../parts/shown-as-text.tsx'
import {
  useIsAwaitingApproval,
  useIsPaused,
  useThread,
  useWaitsForAnother,
} from '../session/session-scope.ts'
import { ToolView } from '../tools/tool-view.tsx'
import type { EntryRow } from './entry-rows.ts'
import { MessageView } from './message-view.tsx'
import { NoticeView } from './notice-view.tsx'
import '../style/entry.css'

/** One entry of a conversation: a message, a notice or a tool call. */
export const EntryView = memo(({ row }: { row: EntryRow }) => (
  <ErrorBoundary subject={row.entry} fallback={<ShownAsText what="This entry" value={row.entry} />}>
    <DrawnEntry row={row} />
  </ErrorBoundary>
))

const DrawnEntry = ({ row: { entry, key } }: { row: EntryRow }) => {
  switch (entry.kind) {
    case 'message':
      return <MessageView entry={entry} foldKey={key} />
    case 'notice':
      return <NoticeView entry={entry} />
    case 'tool':
      return <ToolRow entry={entry} foldKey={key} />
  }
}

const ToolRow = ({ entry, foldKey }: { entry: ToolEntry; foldKey: string }) => {
  const thread = useThread(entry.toolCallId)
  const isAwaitingApproval = useIsAwaitingApproval(entry.toolCallId)
  const isBehindAnother = useWaitsForAnother(entry.toolCallId)
  const isPaused = useIsPaused() && entry.status === 'running'
  return (
    <ToolView
      entry={entry}
      foldKey={foldKey}
      hasThread={thread !== undefined}
      isAwaitingApproval={isAwaitingApproval}
      isBehindAnother={isBehindAnother}
      isPaused={isPaused}
    />
  )
}

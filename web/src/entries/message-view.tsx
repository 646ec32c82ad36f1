import { memo } from 'react'
import type { MessageEntry } from '../../../src/transcript/index.ts'
import { AssistantMessageView } from './assistant-message-view.tsx'
import { SummaryCard } from './summary-card.tsx'
import { UserMessageView } from './user-message-view.tsx'

interface Props {
  entry: MessageEntry
  foldKey: string
}

/** A message, by its role. */
export const MessageView = memo(({ entry, foldKey }: Props) => {
  switch (entry.message.role) {
    case 'assistant':
      return <AssistantMessageView entry={entry} foldKey={foldKey} />
    case 'compactionSummary':
      return <SummaryCard entry={entry} foldKey={foldKey} />
    case 'user':
      return <UserMessageView entry={entry} who="You" />
    case 'system':
      return <UserMessageView entry={entry} who="System" />
    case 'custom':
      return <UserMessageView entry={entry} who={entry.message.customType ?? 'Extension'} />
  }
})

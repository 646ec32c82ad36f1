import { memo } from 'react'
import type { MessageEntry } from '../../../src/transcript/index.ts'
import { AssistantMessage } from './assistant-message.tsx'
import { SummaryCard } from './summary-card.tsx'
import { UserMessage } from './user-message.tsx'

interface Props {
  entry: MessageEntry
  foldKey: string
}

/** A message, by its role. */
export const MessageView = memo(({ entry, foldKey }: Props) => {
  switch (entry.message.role) {
    case 'assistant':
      return <AssistantMessage entry={entry} foldKey={foldKey} />
    case 'compactionSummary':
      return <SummaryCard entry={entry} foldKey={foldKey} />
    case 'user':
      return <UserMessage entry={entry} who="You" />
    case 'system':
      return <UserMessage entry={entry} who="System" />
    case 'custom':
      return <UserMessage entry={entry} who={entry.message.customType ?? 'Extension'} />
  }
})

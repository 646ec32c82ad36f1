import type { Entry, MessageEntry } from '../../../src/transcript/index.ts'
import { Markdown } from '../markdown/markdown.tsx'
import { Fold } from '../parts/fold.tsx'
import { formatTokens } from '../parts/format.ts'
import { useSession } from '../session/session-scope.ts'
import { blockText } from '../tools/tool-output.ts'

interface Props {
  entry: MessageEntry
  foldKey: string
}

/** The summary that replaced the conversation before a compaction. */
export const SummaryCard = ({ entry, foldKey }: Props) => (
  <Fold
    foldKey={foldKey}
    className="summary-card"
    isOpenAtFirst={false}
    head={
      <>
        <span>Context compacted</span>
        <span className="number summary-size">{sizeChange(entry)}</span>
      </>
    }
  >
    {() => (
      <>
        <Markdown text={blockText(entry.message.content)} isStreaming={false} />
        <EarlierButton entry={entry} />
      </>
    )}
  </Fold>
)

/** Replays the conversation that the summary replaced: the log still has it. */
const EarlierButton = ({ entry }: { entry: MessageEntry }) => {
  const { replayBefore } = useSession()
  const seq = summarySeq(entry)
  if (seq === undefined) return null
  return (
    <button type="button" className="quiet-button" onClick={() => replayBefore(seq)}>
      Show earlier messages
    </button>
  )
}

/** The `seq` of the compaction that wrote a summary; undefined if the entry is no summary. */
export const summarySeq = (entry: Entry): number | undefined => {
  const seq = entry.kind === 'message' && /^compaction-(\d+)$/.exec(entry.messageId)?.[1]
  return seq ? Number(seq) : undefined
}

const sizeChange = ({ tokensBefore, tokensAfter }: MessageEntry): string => {
  if (tokensBefore === undefined) return ''
  const before = `${formatTokens(tokensBefore)} tokens`
  return tokensAfter === undefined ? before : `${before} → ${formatTokens(tokensAfter)}`
}

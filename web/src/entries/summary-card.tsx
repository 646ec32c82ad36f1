import type { MessageEntry } from '../../../src/transcript/index.ts'
import { Markdown } from '../markdown/markdown.tsx'
import { Fold } from '../parts/fold.tsx'
import { formatTokens } from '../parts/format.ts'
import { useSession } from '../session/session-scope.ts'
import { blockText } from '../tools/tool-output.ts'
import { summarySeq } from './summary-seq.ts'

interface Props {
  entry: MessageEntry
  name: string
}

/** What stands in for all that came before it. */
export const SummaryCard = ({ entry, name }: Props) => (
  <Fold
    name={name}
    className="summary-card"
    isOpenAtFirst={false}
    head={
      <>
        <span>Context compacted</span>
        <span className="number summary-size">{sizeWords(entry)}</span>
      </>
    }
  >
    {() => (
      <>
        <Markdown text={blockText(entry.message.content)} isStreaming={false} />
        <BeforeButton entry={entry} />
      </>
    )}
  </Fold>
)

/** The conversation that the summary stands for is still in the log. */
const BeforeButton = ({ entry }: { entry: MessageEntry }) => {
  const { replayBefore: lookBack } = useSession()
  const seq = summarySeq(entry)
  if (seq === undefined) return null
  return (
    <button type="button" className="quiet-button" onClick={() => lookBack(seq)}>
      Show earlier messages
    </button>
  )
}

const sizeWords = ({ tokensBefore, tokensAfter }: MessageEntry): string => {
  if (tokensBefore === undefined) return ''
  const before = `${formatTokens(tokensBefore)} tokens`
  return tokensAfter === undefined ? before : `${before} → ${formatTokens(tokensAfter)}`
}

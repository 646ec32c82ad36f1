import type { MessageEntry } from '../../../src/transcript/index.ts'
import { Markdown } from '../markdown/markdown.tsx'
import { Fold } from '../parts/fold.tsx'
import { formatTokens } from '../parts/format.ts'
import { blockText } from '../tools/tool-output.ts'

interface Props {
  entry: MessageEntry
  foldKey: string
}

/** The summary that the model sees instead of the conversation before a compaction. */
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
    {() => <SummaryText entry={entry} />}
  </Fold>
)

const SummaryText = ({ entry }: { entry: MessageEntry }) => {
  const text = blockText(entry.message.content)
  return (
    <>
      <p className="summary-note">
        The model no longer sees the grey messages above
        {text === '' ? '.' : ', but this summary instead.'}
      </p>
      <Markdown text={text} isStreaming={false} />
    </>
  )
}

const sizeChange = ({ tokensBefore, tokensAfter }: MessageEntry): string => {
  if (tokensBefore === undefined) return ''
  const before = `${formatTokens(tokensBefore)} tokens`
  return tokensAfter === undefined ? before : `${before} → ${formatTokens(tokensAfter)}`
}

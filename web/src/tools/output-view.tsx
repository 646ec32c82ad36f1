import type { ToolEntry } from '../../../src/transcript/index.ts'
import { useApp } from '../app/use-app.ts'
import { useStore } from '../lib/use-store.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import { DownloadBlobButton } from '../parts/download-blob-button.tsx'
import { formatCount } from '../parts/format.ts'
import { plainText } from './plain-text.ts'
import { fullOutputBlobs, toolOutput } from './tool-output.ts'

/** How many lines are shown at first: more while the tool runs, and after a failure. */
const firstLines = ({ status }: ToolEntry): number => (status === 'done' ? 10 : 24)

/** The key in `folds` that says whether all of an output is shown. */
export const fullOutputFold = ({ toolCallId }: ToolEntry): string => `all-${toolCallId}`

interface Props {
  entry: ToolEntry
  /** Which part is shown at first: the end of a command’s output, the beginning of a file. */
  end: 'head' | 'tail'
}

/** The output of a tool: a part of it, with a button to show all. */
export const OutputView = ({ entry, end }: Props) => {
  const { folds } = useApp()
  const isWhole = useStore(folds).get(fullOutputFold(entry)) ?? false
  const text = plainText(toolOutput(entry)).replace(/\n+$/, '')
  if (text === '' && entry.status === 'running') return null
  if (text === '') return <p className="tool-empty">No output.</p>
  const lines = text.split('\n')
  const hidden = isWhole ? 0 : Math.max(0, lines.length - firstLines(entry))
  const shown = end === 'tail' ? lines.slice(hidden) : lines.slice(0, lines.length - hidden)
  const more = hidden > 0 && (
    <button
      type="button"
      className="quiet-button"
      onClick={() => folds.set(fullOutputFold(entry), true)}
    >
      Show {formatCount(hidden)} {end === 'tail' ? 'earlier' : 'more'} lines
    </button>
  )
  return (
    <div className="output">
      {entry.dropped > 0 && (
        <p className="tool-empty">
          {formatCount(entry.dropped)} earlier characters were discarded.
        </p>
      )}
      {end === 'tail' && more}
      <div className="output-text">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled must be reachable. */}
        <pre tabIndex={0}>{shown.join('\n')}</pre>
        <CopyButton text={text} label="Copy output" />
      </div>
      {end === 'head' && more}
      {fullOutputBlobs(entry).map((blob) => (
        <DownloadBlobButton key={blob.hash} blob={blob} name={`${entry.toolName}.txt`} />
      ))}
    </div>
  )
}

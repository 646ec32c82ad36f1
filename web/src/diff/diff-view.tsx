import { memo, useMemo, useState } from 'react'
import { SplitRows, UnifiedRows } from './diff-rows.tsx'
import { diffRows, type Hunk } from './rows.ts'
import { useDiffLayout } from './use-diff-layout.ts'
import '../style/diff.css'

/** How many lines are shown at first. */
const firstLines = 400

/** A diff, in one column or side by side. */
export const DiffView = memo(({ hunks, label }: { hunks: readonly Hunk[]; label: string }) => {
  const layout = useDiffLayout()
  const [showsAll, setShowsAll] = useState(false)
  const rows = useMemo(() => diffRows(hunks), [hunks])
  const shown = showsAll ? rows : rows.slice(0, firstLines)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled must be reachable by keyboard.
    <section className="diff" tabIndex={0} aria-label={label}>
      {layout === 'split' ? <SplitRows rows={shown} /> : <UnifiedRows rows={shown} />}
      {rows.length > shown.length && (
        <button type="button" className="quiet-button" onClick={() => setShowsAll(true)}>
          Show {rows.length - shown.length} more lines
        </button>
      )}
    </section>
  )
})

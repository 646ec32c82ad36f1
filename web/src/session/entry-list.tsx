import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { Virtualizer, type VirtualizerHandle } from 'virtua'
import { threadOf } from '../../../src/transcript/index.ts'
import { useApp } from '../app/use-app.ts'
import { type EntryRow, entryRows } from '../entries/entry-rows.ts'
import { EntryView } from '../entries/entry-view.tsx'
import { summarySeq } from '../entries/summary-seq.ts'
import { useStore } from '../lib/use-store.ts'
import { Icon } from '../parts/icon.tsx'
import { scrollToMatch } from '../search/scroll-to-match.ts'
import { fullOutputFold } from '../tools/output-view.tsx'
import { useSession } from './session-scope.ts'
import { createStickToEnd } from './stick-to-end.ts'

interface Props {
  /** A row to go to: of a link, or of a search. */
  target?: ScrollTarget | undefined
}

/** Where to go; another object goes there again. */
export interface ScrollTarget {
  readonly key: string
  /** What was looked for: it is to be seen, wherever in the row it is. */
  readonly words?: string
}

/** So much of what stands before the row that is gone to stays on the screen. */
const contextPx = 64

/** The conversation. It stays at its end only while the reader is there. */
export const EntryList = ({ target }: Props) => {
  const { transcript } = useSession()
  const unfold = useUnfold()
  const whole = useStore(transcript)
  const thread = whole && threadOf(whole)
  const rows = useMemo(() => (thread ? entryRows(thread) : []), [thread])
  const box = useRef<HTMLDivElement>(null)
  const list = useRef<VirtualizerHandle>(null)
  const [isAtEnd, setAtEnd] = useState(true)
  const [stickiness] = useState(() => createStickToEnd(setAtEnd))
  const reached = useRef<ScrollTarget>(undefined)

  const follow = () => void (box.current && stickiness.follow(box.current))

  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever rows change, the end may have moved.
  useLayoutEffect(follow, [rows, stickiness])

  useEffect(() => {
    if (!target || reached.current === target) return
    const index = rows.findIndex(({ key }) => key === target.key)
    if (index === -1) return
    reached.current = target
    stickiness.leave()
    list.current?.scrollToIndex(index, { align: 'start', offset: -contextPx })
    if (target.words === undefined || !box.current) return
    unfold(rows[index])
    return scrollToMatch(box.current, target.words)
  }, [target, rows, stickiness, unfold])

  return (
    <div className="entry-list">
      <div
        ref={box}
        className="entry-scroll"
        role="log"
        aria-label="Conversation"
        aria-live="off"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled must be reachable by keyboard.
        tabIndex={0}
        onScroll={({ currentTarget }) => stickiness.moved(currentTarget)}
        onWheel={stickiness.touched}
        onTouchMove={stickiness.touched}
        onKeyDown={({ key }) => scrollKeys.has(key) && stickiness.touched()}
        // On the list itself: on its bar.
        onPointerDown={({ target, currentTarget }) =>
          target === currentTarget && stickiness.touched()
        }
      >
        <Virtualizer ref={list} data={rows} bufferSize={600} onResize={follow}>
          {(row) => <RowView key={row.key} row={row} isTarget={row.key === target?.key} />}
        </Virtualizer>
      </div>
      {whole && rows.length === 0 && <NothingYet />}
      {target && <CompactedAway rows={rows} target={target} />}
      {!isAtEnd && (
        <button
          type="button"
          className="to-end"
          onClick={() => box.current && stickiness.stick(box.current)}
        >
          <Icon name="down" />
          Jump to latest
        </button>
      )}
    </div>
  )
}

const scrollKeys = new Set(['ArrowUp', 'ArrowDown', 'PageUp', 'PageDown', 'Home', 'End', ' '])

/** An agent says where it is when it begins; until then the session knows. */
const NothingYet = () => {
  const { id } = useSession()
  const session = useStore(useApp().overview).sessions.find((each) => each.id === id)
  return (
    <p className="nothing-yet">
      {session && (
        <>
          {session.agent} in <code>{session.cwd}</code>.{' '}
        </>
      )}
      No messages yet.
    </p>
  )
}

/** What a link leads to may be gone from the conversation, but never from the log. */
const CompactedAway = ({ rows, target }: { rows: readonly EntryRow[]; target: ScrollTarget }) => {
  const { replayBefore: lookBack } = useSession()
  const [first] = rows
  const seq = first && summarySeq(first.entry)
  if (seq === undefined || rows.some(({ key }) => key === target.key)) return null
  return (
    <p className="compacted-away" role="status">
      The linked message is older than the last compaction of the context.{' '}
      <button type="button" className="link-button" onClick={() => lookBack(seq)}>
        Show it
      </button>
    </p>
  )
}

/** Opens what a row has folded. */
const useUnfold = () => {
  const { folds } = useApp()
  return useCallback(
    (row: EntryRow | undefined) => {
      if (row?.entry.kind !== 'tool') return
      folds.set(row.key, true)
      folds.set(fullOutputFold(row.entry), true)
    },
    [folds],
  )
}

const RowView = ({ row, isTarget }: { row: EntryRow; isTarget: boolean }) => (
  <div className={isTarget ? 'row row-target' : 'row'}>
    <EntryView row={row} />
  </div>
)

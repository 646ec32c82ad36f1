import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { Virtualizer, type VirtualizerHandle } from 'virtua'
import { threadOf } from '../../../src/transcript/index.ts'
import { useAgentTitle } from '../agents/use-agent-title.ts'
import { useSessionAgent } from '../agents/use-session-agent.ts'
import { useApp } from '../app/use-app.ts'
import { type EntryRow, entryRows } from '../entries/entry-rows.ts'
import { EntryView } from '../entries/entry-view.tsx'
import { useStore } from '../lib/use-store.ts'
import { describeSandbox } from '../overview/describe-sandbox.ts'
import { Icon } from '../parts/icon.tsx'
import { scrollToMatch } from '../search/scroll-to-match.ts'
import { fullOutputFold } from '../tools/output-view.tsx'
import { useSession } from './session-scope.ts'
import { createStickToEnd } from './stick-to-end.ts'

interface Props {
  /** The row to scroll to: of a link, or of a search. */
  target?: ScrollTarget | undefined
}

/** A row to scroll to. A new object scrolls there again. */
export interface ScrollTarget {
  readonly key: string
  /** The text that was searched for: its first match in the row is scrolled into view. */
  readonly query?: string
}

/** How much of the rows before the target stays visible. */
const contextPx = 64

/** The conversation. It stays at its end only while the reader is there. */
export const EntryList = ({ target }: Props) => {
  const { transcript } = useSession()
  const unfold = useUnfold()
  const current = useStore(transcript)
  const omitted = current?.omitted ?? 0
  const thread = current && threadOf(current)
  const rows = useMemo(() => (thread ? entryRows(thread) : []), [thread])
  const box = useRef<HTMLDivElement>(null)
  const list = useRef<VirtualizerHandle>(null)
  const [isAtEnd, setAtEnd] = useState(true)
  const [stickToEnd] = useState(() => createStickToEnd(setAtEnd))
  const reached = useRef<ScrollTarget>(undefined)

  const onChange = () => void (box.current && stickToEnd.onChange(box.current))

  // A row that grows is reported by `onResize`, once the page is laid out: reading sizes before that
  // would have the page laid out twice in each frame.
  // biome-ignore lint/correctness/useExhaustiveDependencies: with another row, the end has moved.
  useLayoutEffect(onChange, [rows.length, stickToEnd])

  useEffect(() => {
    if (!target || reached.current === target) return
    const index = rows.findIndex(({ key }) => key === target.key)
    if (index === -1) return
    reached.current = target
    stickToEnd.release()
    list.current?.scrollToIndex(index, { align: 'start', offset: -contextPx })
    if (target.query === undefined || !box.current) return
    unfold(rows[index])
    return scrollToMatch(box.current, target.query)
  }, [target, rows, stickToEnd, unfold])

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
        onScroll={({ currentTarget }) => stickToEnd.onScroll(currentTarget)}
        onWheel={stickToEnd.onInput}
        onTouchMove={stickToEnd.onInput}
        onKeyDown={({ key }) => scrollKeys.has(key) && stickToEnd.onInput()}
        // On the element itself, the pointer is on its scroll bar.
        onPointerDown={({ target, currentTarget }) =>
          target === currentTarget && stickToEnd.onInput()
        }
      >
        {omitted > 0 && <OmittedNote count={omitted} />}
        <Virtualizer
          ref={list}
          data={rows}
          bufferSize={600}
          {...(omitted > 0 && { startMargin: omittedNotePx })}
          onResize={onChange}
        >
          {(row) => <RowView key={row.key} row={row} isTarget={row.key === target?.key} />}
        </Virtualizer>
      </div>
      {current && rows.length === 0 && <NoMessages />}
      {!isAtEnd && (
        <button
          type="button"
          className="to-end"
          onClick={() => box.current && stickToEnd.stick(box.current)}
        >
          <Icon name="down" />
          Jump to latest
        </button>
      )}
    </div>
  )
}

const scrollKeys = new Set(['ArrowUp', 'ArrowDown', 'PageUp', 'PageDown', 'Home', 'End', ' '])

const NoMessages = () => {
  const { id } = useSession()
  // The transcript names the directory only once the agent has started.
  const session = useStore(useApp().overview).sessions.find((each) => each.id === id)
  const agent = useSessionAgent(id)
  const titleOf = useAgentTitle()
  return (
    <p className="nothing-yet">
      {session && (
        <>
          {titleOf(session)} in <code>{session.cwd}</code>.{' '}
        </>
      )}
      No messages yet.
      {agent && (
        <>
          <br />
          {describeSandbox(agent.sandbox)}
        </>
      )}
    </p>
  )
}

/** The height of the note above the first row. */
const omittedNotePx = 72

/** A very long conversation is sent without its beginning. */
const OmittedNote = ({ count }: { count: number }) => (
  <p className="entries-omitted" style={{ height: omittedNotePx }}>
    {count.toLocaleString('en')} earlier entries are not shown, because this conversation is very
    long. Export the session to read them.
  </p>
)

/** Opens the folded parts of a row. */
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
  <div className={rowClass(row, isTarget)}>
    <EntryView row={row} />
  </div>
)

/** What the model no longer sees is grey. */
const rowClass = ({ entry }: EntryRow, isTarget: boolean): string => {
  const isPast = entry.kind !== 'notice' && entry.outOfContext
  return `row${isTarget ? ' row-target' : ''}${isPast ? ' row-past' : ''}`
}

import { type KeyboardEvent, useDeferredValue, useEffect, useMemo, useState } from 'react'
import { threadOf } from '../../../src/transcript/index.ts'
import { entryRows } from '../entries/entry-rows.ts'
import { useStore } from '../lib/use-store.ts'
import { Icon } from '../parts/icon.tsx'
import { useRestoreFocus } from '../parts/use-restore-focus.ts'
import type { ScrollTarget } from '../session/entry-list.tsx'
import { useSession } from '../session/session-scope.ts'
import { findRows } from './find-rows.ts'
import { markMatches } from './mark-matches.ts'

interface Props {
  onFound: (target: ScrollTarget | undefined) => void
  onClose: () => void
}

/** Searches a session, also in rows that are not rendered. */
export const FindBar = ({ onFound, onClose }: Props) => {
  const transcript = useStore(useSession().transcript)
  const [query, setQuery] = useState('')
  /** May be negative or beyond the last match: it wraps around. */
  const [position, setPosition] = useState(0)
  const deferred = useDeferredValue(query)
  const thread = transcript && threadOf(transcript)
  const found = useMemo(
    () => (thread ? findRows(entryRows(thread), deferred) : []),
    [thread, deferred],
  )
  const index = found.length === 0 ? -1 : ((position % found.length) + found.length) % found.length
  const key = found[index]?.key
  useRestoreFocus()
  useEffect(
    () => onFound(key === undefined ? undefined : { key, query: deferred }),
    [key, deferred, onFound],
  )
  useEffect(() => markMatches(document.querySelector('.entry-scroll'), deferred), [deferred])

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') return onClose()
    if (event.key !== 'Enter') return
    event.preventDefault()
    setPosition(index + (event.shiftKey ? -1 : 1))
  }
  return (
    <search className="find-bar">
      <input
        // biome-ignore lint/a11y/noAutofocus: the user has just opened this field.
        autoFocus
        type="search"
        aria-label="Search this session"
        placeholder="Search this session"
        value={query}
        onChange={(event) => {
          setQuery(event.target.value)
          setPosition(0)
        }}
        onKeyDown={onKeyDown}
      />
      <span className="number" role="status">
        {query.trim() !== '' && positionLabel(index, found.length)}
      </span>
      <button
        type="button"
        className="quiet-button find-up"
        aria-label="Previous match"
        disabled={found.length < 2}
        onClick={() => setPosition(index - 1)}
      >
        <Icon name="chevron" />
      </button>
      <button
        type="button"
        className="quiet-button find-down"
        aria-label="Next match"
        disabled={found.length < 2}
        onClick={() => setPosition(index + 1)}
      >
        <Icon name="chevron" />
      </button>
      <button type="button" className="quiet-button" aria-label="Close search" onClick={onClose}>
        <Icon name="close" />
      </button>
    </search>
  )
}

const positionLabel = (index: number, count: number): string =>
  count === 0 ? 'No matches' : `${index + 1} of ${count}`

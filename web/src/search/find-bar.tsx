import { type KeyboardEvent, useDeferredValue, useEffect, useMemo, useState } from 'react'
import { threadOf } from '../../../src/transcript/index.ts'
import { entryRows } from '../entries/entry-rows.ts'
import { useStore } from '../lib/use-store.ts'
import { Icon } from '../parts/icon.tsx'
import { useFocusBack } from '../parts/use-focus-back.ts'
import type { ScrollTarget } from '../session/entry-list.tsx'
import { useSession } from '../session/session-scope.ts'
import { findRows } from './find-rows.ts'
import { markMatches } from './mark-matches.ts'

interface Props {
  onFound: (target: ScrollTarget | undefined) => void
  onClose: () => void
}

/** Finds words in a session, on the screen or not. */
export const FindBar = ({ onFound, onClose }: Props) => {
  const transcript = useStore(useSession().transcript)
  const [query, setQuery] = useState('')
  const [place, setPlace] = useState(0)
  const wanted = useDeferredValue(query)
  const thread = transcript && threadOf(transcript)
  const found = useMemo(() => (thread ? findRows(entryRows(thread), wanted) : []), [thread, wanted])
  const at = found.length === 0 ? -1 : ((place % found.length) + found.length) % found.length
  const key = found[at]?.key
  useFocusBack()
  useEffect(
    () => onFound(key === undefined ? undefined : { key, words: wanted }),
    [key, wanted, onFound],
  )
  useEffect(() => markMatches(document.querySelector('.entry-scroll'), wanted), [wanted])

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') return onClose()
    if (event.key !== 'Enter') return
    event.preventDefault()
    setPlace(at + (event.shiftKey ? -1 : 1))
  }
  return (
    <search className="find-bar">
      <input
        // biome-ignore lint/a11y/noAutofocus: the person has just asked for this field.
        autoFocus
        type="search"
        aria-label="Search this session"
        placeholder="Search this session"
        value={query}
        onChange={(event) => {
          setQuery(event.target.value)
          setPlace(0)
        }}
        onKeyDown={onKeyDown}
      />
      <span className="number" role="status">
        {query.trim() !== '' && positionOf(at, found.length)}
      </span>
      <button
        type="button"
        className="quiet-button find-up"
        aria-label="Previous match"
        disabled={found.length < 2}
        onClick={() => setPlace(at - 1)}
      >
        <Icon name="chevron" />
      </button>
      <button
        type="button"
        className="quiet-button find-down"
        aria-label="Next match"
        disabled={found.length < 2}
        onClick={() => setPlace(at + 1)}
      >
        <Icon name="chevron" />
      </button>
      <button type="button" className="quiet-button" aria-label="Close search" onClick={onClose}>
        <Icon name="close" />
      </button>
    </search>
  )
}

const positionOf = (index: number, count: number): string =>
  count === 0 ? 'No matches' : `${index + 1} of ${count}`

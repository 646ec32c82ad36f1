import { useEffect, useMemo, useState } from 'react'
import { VList } from 'virtua'
import type { StampedEvent } from '../../../src/events/index.ts'
import { useApp } from '../app/use-app.ts'
import { useStore } from '../lib/use-store.ts'
import { JsonView } from '../parts/json-view.tsx'
import { ProblemMessage } from '../parts/problem-message.tsx'
import type { EventLog } from '../replay/event-log.ts'

interface Props {
  id: string
  log: EventLog
  /** How many events the moment of a replay has. Absent for the present. */
  position?: number
}

/** New events are collected for this long before they are loaded. */
const delayMs = 400

/** The stored events of a session, newest first. */
export const EventsPanel = ({ id, log, position }: Props) => {
  const { followed } = useApp()
  const seq = useStore(followed.of(id)).transcript?.seq ?? 0
  const { events, error, isLoading, head } = useStore(log)
  const [query, setQuery] = useState('')
  const last = events.at(-1)?.seq ?? 0
  useEffect(() => {
    if (seq === last && last > 0) return
    const timer = setTimeout(() => void log.load(), last === 0 ? 0 : delayMs)
    return () => clearTimeout(timer)
  }, [seq, last, log])
  const shown = useMemo(
    () =>
      events
        .slice(0, position)
        .filter((event) => nameOf(event).includes(query.trim()))
        .toReversed(),
    [events, position, query],
  )
  return (
    <div className="panel-body events">
      <input
        type="search"
        aria-label="Filter by type"
        placeholder="Filter by type"
        value={query}
        onChange={(event) => setQuery(event.target.value)}
      />
      <ProblemMessage title="Could not load the events" reason={error} />
      {isLoading && events.length < head && (
        <p className="panel-empty number">
          Loading {events.length} of {head} events…
        </p>
      )}
      <VList
        data={shown}
        className="events-list"
        role="region"
        aria-label="All events"
        tabIndex={0}
      >
        {(event) => <EventView key={event.seq} event={event} />}
      </VList>
    </div>
  )
}

const nameOf = (event: StampedEvent): string =>
  event.type === 'message_update' ? `${event.type} ${event.assistantMessageEvent.type}` : event.type

const EventView = ({ event }: { event: StampedEvent }) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <div className="event">
      <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span className="event-seq number">{event.seq}</span>
        <span>{nameOf(event)}</span>
      </button>
      {isOpen && <JsonView value={event} />}
    </div>
  )
}

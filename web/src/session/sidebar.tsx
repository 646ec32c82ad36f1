import { useEffect, useRef } from 'react'
import { ConnectionState } from '../app/connection-state.tsx'
import { useApp } from '../app/use-app.ts'
import { useStore } from '../lib/use-store.ts'
import { SessionLists } from '../overview/session-lists.tsx'
import { Icon } from '../parts/icon.tsx'
import { Link } from '../parts/link.tsx'
import { groupSessions } from '../state/groups.ts'
import { NeedsElsewhere } from './needs-elsewhere.tsx'
import '../style/sidebar.css'

/** The list of all sessions, beside the open one, which stays in view. */
export const Sidebar = ({ currentId }: { currentId: string }) => {
  const { overview, creating } = useApp()
  const { sessions, loops } = useStore(overview)
  const list = useRef<HTMLDivElement>(null)
  const { active, openLoops, projects, doneLoops } = groupSessions(sessions, loops)
  const groups = [...openLoops, ...projects, ...doneLoops]
  const position = [...active, ...groups.flatMap((group) => group.sessions)].findIndex(
    ({ id }) => id === currentId,
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: the row moves when its position changes.
  useEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' })
  }, [currentId, position])
  return (
    <nav className="sidebar" aria-label="Sessions">
      <header>
        <Link to="/" className="brand">
          Sluice
        </Link>
        <button
          type="button"
          className="quiet-button"
          aria-label="New session"
          title="New session"
          onClick={() => creating.set('')}
        >
          <Icon name="plus" />
        </button>
      </header>
      <NeedsElsewhere currentId={currentId} />
      <div className="sidebar-list" ref={list}>
        <SessionLists sessions={sessions} currentId={currentId} />
      </div>
      <footer>
        <ConnectionState />
      </footer>
    </nav>
  )
}

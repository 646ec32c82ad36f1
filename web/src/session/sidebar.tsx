import { ConnectionState } from '../app/connection-state.tsx'
import { useApp } from '../app/use-app.ts'
import { useStore } from '../lib/use-store.ts'
import { SessionsByProject } from '../overview/sessions-by-project.tsx'
import { Icon } from '../parts/icon.tsx'
import { Link } from '../parts/link.tsx'
import '../style/sidebar.css'

/** The list of all sessions, beside the open one. */
export const Sidebar = ({ currentId }: { currentId: string }) => {
  const { overview, creating } = useApp()
  const { sessions, approvals } = useStore(overview)
  const elsewhere = approvals.filter(({ sessionId }) => sessionId !== currentId).length
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
      {elsewhere > 0 && (
        <Link to="/" className="needs-elsewhere">
          {elsewhere === 1 ? '1 more request waiting' : `${elsewhere} more requests waiting`}
        </Link>
      )}
      <div className="sidebar-list">
        <SessionsByProject sessions={sessions} currentId={currentId} />
      </div>
      <footer>
        <ConnectionState />
      </footer>
    </nav>
  )
}

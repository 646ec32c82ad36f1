import { useStore } from '../lib/use-store.ts'
import { NewSessionDialog } from '../overview/new-session-dialog.tsx'
import { OverviewScreen } from '../overview/overview-screen.tsx'
import { Link } from '../parts/link.tsx'
import { SessionScreen } from '../session/session-screen.tsx'
import { SignIn } from './sign-in.tsx'
import { ToastList } from './toast-list.tsx'
import { useApp } from './use-app.ts'

/** The app: a sign-in form, or the screen of the current address with dialogs and toasts. */
export const AppRoot = () => {
  const { token, connection, creating } = useApp()
  const hasToken = useStore(token) !== undefined
  const { status } = useStore(connection)
  const projectId = useStore(creating)
  if (!hasToken || status === 'denied') return <SignIn />
  return (
    <>
      <CurrentScreen />
      {projectId !== null && (
        <NewSessionDialog projectId={projectId} onClose={() => creating.set(null)} />
      )}
      <ToastList />
    </>
  )
}

const CurrentScreen = () => {
  const route = useStore(useApp().routes)
  switch (route.page) {
    case 'overview':
      return <OverviewScreen />
    case 'session':
      return (
        <SessionScreen
          key={route.id}
          id={route.id}
          {...(route.messageId !== undefined && { messageId: route.messageId })}
        />
      )
    case 'missing':
      return (
        <main className="empty-page">
          <h1>Page not found</h1>
          <p>
            <Link to="/">All sessions</Link>
          </p>
        </main>
      )
  }
}

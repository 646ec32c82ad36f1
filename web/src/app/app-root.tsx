import { lazy, Suspense } from 'react'
import { AccessScreen } from '../access/access-screen.tsx'
import { AuditScreen } from '../audit/audit-screen.tsx'
import { useStore } from '../lib/use-store.ts'
import { NewSessionDialog } from '../overview/new-session-dialog.tsx'
import { OverviewScreen } from '../overview/overview-screen.tsx'
import { ErrorBoundary } from '../parts/error-boundary.tsx'
import { Link } from '../parts/link.tsx'
import { ProjectRulesScreen } from '../rules/project-rules-screen.tsx'
import { SessionScreen } from '../session/session-screen.tsx'
import { SignInScreen } from './sign-in-screen.tsx'
import { ToastList } from './toast-list.tsx'
import { useApp } from './use-app.ts'

// Pages that few visits open are loaded when they are opened.
const CostScreen = lazy(() =>
  import('../cost/cost-screen.tsx').then((module) => ({ default: module.CostScreen })),
)
const BudgetsScreen = lazy(() =>
  import('../budgets/budgets-screen.tsx').then((module) => ({ default: module.BudgetsScreen })),
)
const PricesScreen = lazy(() =>
  import('../prices/prices-screen.tsx').then((module) => ({ default: module.PricesScreen })),
)
const WatchedScreen = lazy(() =>
  import('../watched/watched-screen.tsx').then((module) => ({ default: module.WatchedScreen })),
)
const LoopScreen = lazy(() =>
  import('../loops/loop-screen.tsx').then((module) => ({ default: module.LoopScreen })),
)
const ComparisonScreen = lazy(() =>
  import('../compare/comparison-screen.tsx').then((module) => ({
    default: module.ComparisonScreen,
  })),
)
const NewLoopDialog = lazy(() =>
  import('../loops/new-loop-dialog.tsx').then((module) => ({ default: module.NewLoopDialog })),
)

/** The app: a sign-in form, or the screen of the current address with dialogs and toasts. */
export const AppRoot = () => {
  const { signIn, connection, creating, isStartingLoop } = useApp()
  const { isBusy } = useStore(signIn)
  const { status } = useStore(connection)
  const projectId = useStore(creating)
  const isLoopFormOpen = useStore(isStartingLoop)
  if (isBusy || status === 'denied') return <SignInScreen />
  return (
    <>
      <GuardedScreen />
      {projectId !== null && (
        <NewSessionDialog projectId={projectId} onClose={() => creating.set(null)} />
      )}
      {isLoopFormOpen && (
        <Suspense>
          <NewLoopDialog onClose={() => isStartingLoop.set(false)} />
        </Suspense>
      )}
      <ToastList />
    </>
  )
}

const GuardedScreen = () => {
  const route = useStore(useApp().routes)
  return (
    <ErrorBoundary subject={route} fallback={<FailedScreen />}>
      <Suspense>
        <CurrentScreen />
      </Suspense>
    </ErrorBoundary>
  )
}

const FailedScreen = () => (
  <main className="empty-page">
    <h1>This page cannot be shown</h1>
    <p>
      Reload the page, or go to <Link to="/">all sessions</Link>.
    </p>
  </main>
)

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
    case 'access':
      return <AccessScreen />
    case 'rules':
      return <ProjectRulesScreen key={route.projectId} projectId={route.projectId} />
    case 'audit':
      return <AuditScreen />
    case 'cost':
      return <CostScreen />
    case 'budgets':
      return <BudgetsScreen />
    case 'prices':
      return <PricesScreen />
    case 'watched':
      return <WatchedScreen />
    case 'loop':
      return <LoopScreen key={route.id} id={route.id} />
    case 'comparison':
      return <ComparisonScreen key={route.id} id={route.id} />
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

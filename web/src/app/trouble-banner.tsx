import { useStore } from '../lib/use-store.ts'
import { useApp } from './use-app.ts'

/** Says why the server works only in part, for as long as it does, or why the page is still empty. */
export const TroubleBanner = () => {
  const { overview, connection } = useApp()
  const { degraded, isLoaded } = useStore(overview)
  const state = useStore(connection)
  if (degraded !== null)
    return (
      <p className="trouble-banner" role="alert">
        <strong>Sluice accepts no work at the moment.</strong> {degraded}
      </p>
    )
  // A page that has shown something before shows that it is offline beside it.
  if (isLoaded || state.status !== 'waiting') return null
  return (
    <p className="trouble-banner" role="alert">
      <strong>Not connected yet.</strong> This page tries again by itself. {state.detail}
    </p>
  )
}

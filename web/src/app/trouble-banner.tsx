import { useStore } from '../lib/use-store.ts'
import { useApp } from './use-app.ts'

/** Says why the server works only in part, for as long as it does. */
export const TroubleBanner = () => {
  const { degraded } = useStore(useApp().overview)
  if (degraded === null) return null
  return (
    <p className="trouble-banner" role="alert">
      <strong>Sluice accepts no work at the moment.</strong> {degraded}
    </p>
  )
}

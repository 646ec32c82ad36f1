import { useStore } from '../lib/use-store.ts'
import { useApp } from './use-app.ts'

/** Whether the server is unreachable, so that the page shows the last known state. */
export const useIsOffline = (): boolean => {
  const { status } = useStore(useApp().connection)
  return status === 'waiting' || status === 'stopped'
}

import { useStore } from '../lib/use-store.ts'
import { useApp } from './use-app.ts'

/** Whether the server cannot be reached: what is shown is what was seen last. */
export const useIsOffline = (): boolean => {
  const { status } = useStore(useApp().connection)
  return status === 'waiting' || status === 'stopped'
}

import { useSyncExternalStore } from 'react'

/** Below this width, a panel takes the place of the conversation. The styles use the same width. */
const narrow = window.matchMedia('(max-width: 64rem)')

const subscribe = (listener: () => void) => {
  narrow.addEventListener('change', listener)
  return () => narrow.removeEventListener('change', listener)
}

/** Whether the window is too narrow for a panel beside the conversation. */
export const useIsNarrow = (): boolean => useSyncExternalStore(subscribe, () => narrow.matches)

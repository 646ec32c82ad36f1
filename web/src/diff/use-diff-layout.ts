import { useApp } from '../app/use-app.ts'
import type { Store } from '../lib/store.ts'
import { useStore } from '../lib/use-store.ts'

/** How a diff is shown: as the person likes it, but in one column where two have no room. */
export const useDiffLayout = (): 'unified' | 'split' => {
  const layout = useStore(useApp().prefs.diffLayout)
  return useStore(narrow) ? 'unified' : layout
}

/** As narrow as a phone; the styles have the same width. */
const narrowQuery = '(max-width: 48rem)'

const narrow: Store<boolean> = {
  get: () => matchMedia(narrowQuery).matches,
  subscribe(listener) {
    const query = matchMedia(narrowQuery)
    query.addEventListener('change', listener)
    return () => query.removeEventListener('change', listener)
  },
}

import { useApp } from '../app/use-app.ts'
import type { Store } from '../lib/store.ts'
import { useStore } from '../lib/use-store.ts'

/** The layout of a diff: the user’s choice, or one column if there is no room for two. */
export const useDiffLayout = (): 'unified' | 'split' => {
  const layout = useStore(useApp().prefs.diffLayout)
  return useStore(narrow) ? 'unified' : layout
}

/** The width of a phone; the style sheets use the same one. */
const narrowQuery = '(max-width: 48rem)'

const narrow: Store<boolean> = {
  get: () => matchMedia(narrowQuery).matches,
  subscribe(listener) {
    const query = matchMedia(narrowQuery)
    query.addEventListener('change', listener)
    return () => query.removeEventListener('change', listener)
  },
}

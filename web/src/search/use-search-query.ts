import { useApp } from '../app/use-app.ts'
import { useStore } from '../lib/use-store.ts'

/** The search query. It is part of the address, so that the Back button restores it. */
export const useSearchQuery = (): [query: string, set: (query: string) => void] => {
  const { routes } = useApp()
  useStore(routes)
  const query = new URLSearchParams(location.search).get('q') ?? ''
  const set = (next: string) =>
    routes.go(next === '' ? '/' : `/?${new URLSearchParams({ q: next })}`, 'replace')
  return [query, set]
}

import { useApp } from '../app/use-app.ts'
import { useStore } from '../lib/use-store.ts'

/** What is searched for. It stands in the address, so that it is there again after Back. */
export const useSearchQuery = (): [query: string, set: (query: string) => void] => {
  const { routes } = useApp()
  useStore(routes)
  const query = new URLSearchParams(location.search).get('q') ?? ''
  const set = (next: string) =>
    routes.go(next === '' ? '/' : `/?${new URLSearchParams({ q: next })}`, 'replace')
  return [query, set]
}

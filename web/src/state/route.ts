import { createStore, type Store } from '../lib/store.ts'

/** What the page shows. */
export type PageRoute =
  | { readonly page: 'overview' }
  | { readonly page: 'session'; readonly id: string; readonly messageId?: string }
  | { readonly page: 'missing' }

/** The page of an address. */
export const routeOf = ({ pathname, hash }: { pathname: string; hash: string }): PageRoute => {
  if (pathname === '/' || pathname === '/index.html') return { page: 'overview' }
  const [, id] = /^\/sessions\/([^/]+)\/?$/.exec(pathname) ?? []
  const name = id === undefined ? undefined : decoded(id)
  if (name === undefined) return { page: 'missing' }
  const messageId = new URLSearchParams(hash.slice(1)).get('m')
  return { page: 'session', id: name, ...(messageId !== null && { messageId }) }
}

/** The address of a session, or of one message in it. */
export const sessionPath = (id: string, messageId?: string): string => {
  const path = `/sessions/${encodeURIComponent(id)}`
  return messageId === undefined ? path : `${path}#${new URLSearchParams({ m: messageId })}`
}

export interface Routes extends Store<PageRoute> {
  go(path: string, how?: 'push' | 'replace'): void
}

/** The route of this page: it follows the address, and the address follows it. */
export const createRoutes = (page: Window): Routes => {
  const store = createStore(routeOf(page.location))
  const read = () => store.set(routeOf(page.location))
  page.addEventListener('popstate', read)
  page.addEventListener('hashchange', read)
  return {
    ...store,
    go(path, how = 'push') {
      if (how === 'push') page.history.pushState(null, '', path)
      else page.history.replaceState(null, '', path)
      read()
    },
  }
}

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

import { createStore, type Store } from '../lib/store.ts'

/** Which page is shown. */
export type PageRoute =
  | { readonly page: 'overview' }
  | { readonly page: 'session'; readonly id: string; readonly messageId?: string }
  | { readonly page: 'access' }
  | { readonly page: 'rules'; readonly projectId: string }
  | { readonly page: 'audit' }
  | { readonly page: 'watched' }
  | { readonly page: 'cost' }
  | { readonly page: 'budgets' }
  | { readonly page: 'prices' }
  | { readonly page: 'loop'; readonly id: string }
  | { readonly page: 'comparison'; readonly id: string }
  | { readonly page: 'missing' }

/** The page that an address leads to. */
export const routeOf = ({ pathname, hash }: { pathname: string; hash: string }): PageRoute => {
  // `/pair` signs this browser in before anything is shown.
  if (['/', '/index.html', '/pair'].includes(pathname)) return { page: 'overview' }
  if (pathname === '/access') return { page: 'access' }
  const [, project] = /^\/projects\/([^/]+)\/rules\/?$/.exec(pathname) ?? []
  const projectId = project === undefined ? undefined : decode(project)
  if (projectId !== undefined) return { page: 'rules', projectId }
  if (pathname === '/audit') return { page: 'audit' }
  if (pathname === '/watched') return { page: 'watched' }
  if (pathname === '/cost') return { page: 'cost' }
  if (pathname === '/budgets') return { page: 'budgets' }
  if (pathname === '/prices') return { page: 'prices' }
  const [, loop] = /^\/loops\/([^/]+)\/?$/.exec(pathname) ?? []
  const loopId = loop === undefined ? undefined : decode(loop)
  if (loopId !== undefined) return { page: 'loop', id: loopId }
  const [, compared] = /^\/comparisons\/([a-z0-9-]+)\/?$/.exec(pathname) ?? []
  if (compared !== undefined) return { page: 'comparison', id: compared }
  const [, id] = /^\/sessions\/([^/]+)\/?$/.exec(pathname) ?? []
  const sessionId = id === undefined ? undefined : decode(id)
  if (sessionId === undefined) return { page: 'missing' }
  const messageId = new URLSearchParams(hash.slice(1)).get('m')
  return { page: 'session', id: sessionId, ...(messageId !== null && { messageId }) }
}

/** The address of a session, or of one message in it. */
export const sessionPath = (id: string, messageId?: string): string => {
  const path = `/sessions/${encodeURIComponent(id)}`
  return messageId === undefined ? path : `${path}#${new URLSearchParams({ m: messageId })}`
}

/** The address of a loop. */
export const loopPath = (id: string): string => `/loops/${encodeURIComponent(id)}`

/** The address of a comparison of agents. */
export const comparisonPath = (id: string): string => `/comparisons/${encodeURIComponent(id)}`

/** The address of the rules of a project. */
export const rulesPath = (projectId: string): string =>
  `/projects/${encodeURIComponent(projectId)}/rules`

/** The current page, in step with the address of the window. */
export interface Routes extends Store<PageRoute> {
  /** Goes to an address. Default: adds an entry to the history. */
  go(path: string, how?: 'push' | 'replace'): void
}

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

const decode = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

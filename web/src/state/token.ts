import { createStore, type Store } from '../lib/store.ts'

const key = 'sluice.token'

/** The token of this browser. */
export interface TokenStore extends Store<string | undefined> {
  /** Stores a token for this visit and the next. */
  store(token: string): void
}

/**
 * Takes the token from the address (`#token=…`) or from the storage. It is removed from the address,
 * so that nobody sees it or shares it with a link.
 */
export const createTokenStore = (page: Window): TokenStore => {
  const store = createStore(fromAddress(page) ?? page.localStorage.getItem(key) ?? undefined)
  const persist = (token: string) => {
    page.localStorage.setItem(key, token)
    store.set(token)
  }
  const initial = store.get()
  if (initial !== undefined) persist(initial)
  page.addEventListener('hashchange', () => {
    const token = fromAddress(page)
    if (token !== undefined) persist(token)
  })
  return { ...store, store: persist }
}

const fromAddress = ({ location, history }: Window): string | undefined => {
  const fields = new URLSearchParams(location.hash.slice(1))
  const token = fields.get('token')?.trim()
  if (!token) return undefined
  fields.delete('token')
  const rest = fields.toString()
  history.replaceState(null, '', location.pathname + location.search + (rest && `#${rest}`))
  return token
}

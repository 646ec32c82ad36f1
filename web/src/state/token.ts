import { createStore, type Store } from '../lib/store.ts'

const key = 'sluice.token'

export interface TokenStore extends Store<string | undefined> {
  store(token: string): void
  clear(): void
}

/**
 * The token of this browser. One that comes in the address (`#token=…`) is kept and struck from
 * the address, so that it is neither seen nor shared with a link.
 */
export const createTokenStore = (page: Window): TokenStore => {
  const store = createStore(fromAddress(page) ?? page.localStorage.getItem(key) ?? undefined)
  const keep = (token: string) => {
    page.localStorage.setItem(key, token)
    store.set(token)
  }
  const first = store.get()
  if (first !== undefined) keep(first)
  page.addEventListener('hashchange', () => {
    const token = fromAddress(page)
    if (token !== undefined) keep(token)
  })
  return {
    ...store,
    store: keep,
    clear() {
      page.localStorage.removeItem(key)
      store.set(undefined)
    },
  }
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

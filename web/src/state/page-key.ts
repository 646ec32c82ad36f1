import { createStore, type Store } from '../lib/store.ts'

const name = 'sluice.page'

/**
 * The key of this page, which the server gives to a browser when it is paired. It proves that a page of
 * this origin sends a request: browsers send the cookie to every port of a host. Alone it opens nothing.
 */
export interface PageKeyStore extends Store<string> {
  /** Stores the key for all tabs, and for the next visit. */
  store(key: string): void
}

/** Reads the key of an earlier visit; empty when this browser is not paired. */
export const createPageKeyStore = (page: Window): PageKeyStore => {
  page.localStorage.removeItem('sluice.token') // of earlier versions, which stored a key of the API
  const store = createStore(page.localStorage.getItem(name) ?? '')
  page.addEventListener('storage', ({ key, newValue }) => {
    if (key === name) store.set(newValue ?? '')
  })
  return {
    ...store,
    store(key) {
      page.localStorage.setItem(name, key)
      store.set(key)
    },
  }
}

/** Takes the pairing code from the address, so that nobody sees it there or shares it. */
export const takePairingCode = ({ location, history }: Window): string | undefined => {
  if (location.pathname !== '/pair' || location.hash.length < 2) return undefined
  const code = location.hash.slice(1)
  history.replaceState(null, '', '/pair')
  return code
}

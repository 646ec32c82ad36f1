import { createClient } from '../../../src/client/index.ts'
import { reasonOf } from '../../../src/shared/reason.ts'
import { createStore, type Store } from '../lib/store.ts'
import { type PageKeyStore, takePairingCode } from './page-key.ts'

/** How the last attempt to sign in went. */
export interface SignInAttempt {
  readonly isBusy: boolean
  /** Why it failed. */
  readonly reason?: string
}

/** Signs this browser in. */
export interface SignInState extends Store<SignInAttempt> {
  /** Signs in with a pairing link, its code, or an API key. */
  submit(text: string): void
}

/** Begins at once when the address has a pairing code. */
export const createSignInState = (
  page: Window,
  pageKey: PageKeyStore,
  onSignedIn: () => void,
): SignInState => {
  const store = createStore<SignInAttempt>({ isBusy: false })
  const url = page.location.origin

  const pair = async (text: string): Promise<void> => {
    const isKey = text.startsWith('sluice_')
    const { auth } = createClient({ url, pageKey: pageKey.get(), ...(isKey && { token: text }) })
    const code = text.slice(text.lastIndexOf('#') + 1)
    const paired = isKey ? await auth.signIn() : await auth.pair({ code })
    pageKey.store(paired.pageKey)
  }

  const submit = (text: string): void => {
    store.set({ isBusy: true })
    pair(text).then(
      () => {
        store.set({ isBusy: false })
        onSignedIn()
      },
      (cause: unknown) => store.set({ isBusy: false, reason: reasonOf(cause) }),
    )
  }

  const submitCode = () => {
    const code = takePairingCode(page)
    if (code !== undefined) submit(code)
  }
  page.addEventListener('hashchange', submitCode)
  submitCode()
  return { ...store, submit }
}

import type {
  AccessInfo,
  AgentInfo,
  ApiKey,
  BrowserInfo,
  PasskeyList,
  Project,
} from '../../../src/api/index.ts'
import { type Client, createClient } from '../../../src/client/index.ts'
import { createResource, type Resource } from '../lib/resource.ts'
import { createStore, type WritableStore } from '../lib/store.ts'
import { createDrafts, type Drafts } from '../state/drafts.ts'
import { createFolds, type Folds } from '../state/folds.ts'
import { createLiveState, type LiveState } from '../state/live-state.ts'
import { createPageKeyStore, type PageKeyStore } from '../state/page-key.ts'
import { createPrefs, type Prefs } from '../state/prefs.ts'
import { createRoutes, type Routes } from '../state/route.ts'
import { createSignInState, type SignInState } from '../state/sign-in-state.ts'
import { createToasts, type Toasts } from '../state/toasts.ts'

/** The state of the app, outside of React. */
export interface AppState extends Omit<LiveState, 'connect'> {
  readonly client: Client
  readonly pageKey: PageKeyStore
  readonly signIn: SignInState
  readonly routes: Routes
  readonly prefs: Prefs
  readonly toasts: Toasts
  readonly folds: Folds
  readonly drafts: Drafts
  readonly agents: Resource<AgentInfo[]>
  readonly projects: Resource<Project[]>
  /** Who this browser is for the server. */
  readonly access: Resource<AccessInfo>
  readonly browsers: Resource<BrowserInfo[]>
  readonly keys: Resource<ApiKey[]>
  readonly passkeys: Resource<PasskeyList>
  /** While the form for a new session is open: its project, or '' when none is chosen. */
  readonly creating: WritableStore<string | null>
  /** Whether the form for a new loop is open. */
  readonly isStartingLoop: WritableStore<boolean>
}

export const createAppState = (page: Window): AppState => {
  const url = page.location.origin
  const pageKey = createPageKeyStore(page)
  const client = createClient({ url, pageKey: async () => pageKey.get() })
  const { connect, ...live } = createLiveState(url)
  const routes = createRoutes(page)
  const toasts = createToasts()
  const signIn = createSignInState(page, pageKey, () => routes.go('/', 'replace'))

  const connectNow = () => connect(pageKey.get())
  page.addEventListener('online', live.retry)
  page.document.addEventListener('visibilitychange', () => !page.document.hidden && live.retry())
  // A page that comes back from the browser’s cache had disconnected.
  page.addEventListener('pageshow', (event) => event.persisted && connectNow())
  pageKey.subscribe(connectNow)
  signIn.subscribe(() => {
    const { reason } = signIn.get()
    // Otherwise the sign-in form shows it.
    if (reason !== undefined && live.connection.get().status === 'live')
      toasts.show(reason, { isError: true })
  })
  showRecovery(live.overview, toasts)
  connectNow()

  return {
    ...live,
    client,
    pageKey,
    signIn,
    routes,
    prefs: createPrefs(page.localStorage),
    toasts,
    folds: createFolds(),
    drafts: createDrafts(page.localStorage),
    agents: createResource(() => client.agents.list()),
    projects: createResource(() => client.projects.list()),
    access: createResource(() => client.auth.access()),
    browsers: createResource(() => client.browsers.list()),
    keys: createResource(() => client.keys.list()),
    passkeys: createResource(() => client.passkeys.list()),
    creating: createStore<string | null>(null),
    isStartingLoop: createStore(false),
  }
}

/** How long the server must work again before that is shown: a reconnect begins without trouble. */
const steadyMs = 500

const showRecovery = (overview: LiveState['overview'], toasts: Toasts): void => {
  let wasDegraded = false
  let shown: ReturnType<typeof setTimeout> | undefined
  overview.subscribe(() => {
    const isDegraded = overview.get().degraded !== null
    if (isDegraded) clearTimeout(shown)
    else if (wasDegraded) shown = setTimeout(() => toasts.show('Sluice works again.'), steadyMs)
    wasDegraded = isDegraded
  })
}

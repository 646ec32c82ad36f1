import type { AgentInfo, Project } from '../../../src/api/index.ts'
import { type Client, createClient } from '../../../src/client/index.ts'
import { createResource, type Resource } from '../lib/resource.ts'
import { createStore, type WritableStore } from '../lib/store.ts'
import { createDrafts, type Drafts } from '../state/drafts.ts'
import { createFolds, type Folds } from '../state/folds.ts'
import { createLiveState, type LiveState } from '../state/live-state.ts'
import { createPrefs, type Prefs } from '../state/prefs.ts'
import { createRoutes, type Routes } from '../state/route.ts'
import { createToasts, type Toasts } from '../state/toasts.ts'
import { createTokenStore, type TokenStore } from '../state/token.ts'

/** The state of the app, outside of React. */
export interface AppState extends Omit<LiveState, 'connect'> {
  readonly client: Client
  readonly token: TokenStore
  readonly routes: Routes
  readonly prefs: Prefs
  readonly toasts: Toasts
  readonly folds: Folds
  readonly drafts: Drafts
  readonly agents: Resource<AgentInfo[]>
  readonly projects: Resource<Project[]>
  /** While the form for a new session is open: its project, or '' when none is chosen. */
  readonly creating: WritableStore<string | null>
}

export const createAppState = (page: Window): AppState => {
  const url = page.location.origin
  const token = createTokenStore(page)
  const client = createClient({ url, token: async () => token.get() })
  const { connect, ...live } = createLiveState(url)

  const connectNow = () => connect(token.get())
  page.addEventListener('online', live.retry)
  page.document.addEventListener('visibilitychange', () => !page.document.hidden && live.retry())
  // A page that comes back from the browser’s cache had disconnected.
  page.addEventListener('pageshow', (event) => event.persisted && connectNow())
  token.subscribe(connectNow)
  connectNow()

  return {
    ...live,
    client,
    token,
    routes: createRoutes(page),
    prefs: createPrefs(page.localStorage),
    toasts: createToasts(),
    folds: createFolds(),
    drafts: createDrafts(page.localStorage),
    agents: createResource(() => client.agents.list()),
    projects: createResource(() => client.projects.list()),
    creating: createStore<string | null>(null),
  }
}

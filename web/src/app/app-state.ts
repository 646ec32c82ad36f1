import { createClient, type Overview } from '../../../src/client/index.ts'
import { reasonOf } from '../../../src/shared/reason.ts'
import { createResource } from '../lib/resource.ts'
import { createStore } from '../lib/store.ts'
import { createDrafts } from '../state/drafts.ts'
import { createFolds } from '../state/folds.ts'
import { createFollowedSessions } from '../state/followed-sessions.ts'
import { createPrefs } from '../state/prefs.ts'
import { createRoutes } from '../state/route.ts'
import { createToasts } from '../state/toasts.ts'
import { createTokenStore } from '../state/token.ts'
import { connectHub, type HubLink } from '../stream/connect.ts'
import type { FromHub, HubConnection } from '../stream/messages.ts'

const nothingYet: Overview = { isLoaded: false, sessions: [], approvals: [], totals: null }

/** Everything that the page shows and does, outside of React. */
export const createAppState = (page: Window) => {
  const url = page.location.origin
  const token = createTokenStore(page)
  const client = createClient({ url, token: async () => token.get() })
  const connection = createStore<HubConnection>({ status: 'connecting' })
  const overview = createStore(nothingYet)
  let hub: HubLink | undefined
  let attempt = 0

  const followed = createFollowedSessions((sessions) => hub?.send({ type: 'want', sessions }))

  const take = (message: FromHub) => {
    switch (message.type) {
      case 'connection':
        return connection.set(message.connection)
      case 'overview':
        followed.listed(new Set(message.overview.sessions.map(({ id }) => id)))
        return overview.set(message.overview)
      case 'events':
        return followed.take(message.sessionId, message.events)
      case 'gone':
        return followed.lose(message.sessionId)
    }
  }

  /** With each token the page begins to listen anew. */
  const listen = () => {
    hub?.close()
    hub = undefined
    attempt += 1
    const mine = attempt
    const bearer = token.get()
    if (bearer === undefined) return
    connection.set({ status: 'connecting' })
    hub = connectHub({
      url,
      token: bearer,
      onMessage: (message) => mine === attempt && take(message),
    })
    followed.tellWanted()
  }

  const wake = () => hub?.send({ type: 'wake' })
  page.addEventListener('online', wake)
  page.document.addEventListener('visibilitychange', () => !page.document.hidden && wake())
  // A page that comes back from the browser’s cache had said good-bye.
  page.addEventListener('pageshow', (event) => event.persisted && listen())
  token.subscribe(listen)
  listen()

  return {
    client,
    token,
    connection,
    overview,
    followed,
    wake,
    routes: createRoutes(page),
    prefs: createPrefs(page.localStorage),
    toasts: createToasts(reasonOf),
    folds: createFolds(),
    drafts: createDrafts(page.localStorage),
    agents: createResource(() => client.agents.list()),
    projects: createResource(() => client.projects.list()),
    /** The project to begin a session in, while somebody is asked; '' where none is chosen. */
    creating: createStore<string | null>(null),
  }
}
export type AppState = ReturnType<typeof createAppState>

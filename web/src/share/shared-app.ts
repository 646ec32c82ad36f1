import { createClient, emptyOverview } from '../../../src/client/index.ts'
import type { AppState } from '../app/app-state.ts'
import { createResource } from '../lib/resource.ts'
import { createStore } from '../lib/store.ts'
import { createDrafts } from '../state/drafts.ts'
import { createFolds } from '../state/folds.ts'
import { createFollowedSessions } from '../state/followed-sessions.ts'
import { createPrefs } from '../state/prefs.ts'
import type { PageRoute } from '../state/route.ts'
import { createToasts } from '../state/toasts.ts'
import { bytesOf, type SharedSession } from './shared-session.ts'

/** The state of the app in a page without a server: it has one session, and its blobs. */
export const createSharedApp = (session: SharedSession): AppState => {
  const client = createClient({
    url: 'http://shared.invalid',
    fetch: async (url) => respond(session, url),
  })
  const nothing = <T>() => createResource((): Promise<T> => Promise.reject(new Error('offline')))
  const memory = createMemoryStorage()
  return {
    client,
    connection: createStore({ status: 'stopped', detail: 'This page has no server.' }),
    overview: createStore(emptyOverview),
    followed: createFollowedSessions(() => {}),
    retry() {},
    pageKey: { ...createStore(''), store() {} },
    signIn: { ...createStore({ isBusy: false }), submit() {} },
    routes: { ...createStore<PageRoute>({ page: 'session', id: session.id }), go() {} },
    prefs: createPrefs(memory),
    toasts: createToasts(),
    folds: createFolds(),
    drafts: createDrafts(memory),
    agents: nothing(),
    projects: nothing(),
    access: nothing(),
    browsers: nothing(),
    keys: nothing(),
    passkeys: nothing(),
    creating: createStore<string | null>(null),
    isStartingLoop: createStore(false),
  }
}

/** Blobs come from the page itself. There is nothing else. */
const respond = ({ blobs }: SharedSession, url: string): Response => {
  const [, hash = ''] = /\/blobs\/([0-9a-f]{64})$/.exec(url) ?? []
  const blob = blobs[hash]
  if (!blob) return new Response(null, { status: 404 })
  return new Response(bytesOf(blob.data), {
    headers: { 'Content-Type': blob.mimeType ?? 'application/octet-stream' },
  })
}

/** A page of a file may not be allowed to store anything. */
const createMemoryStorage = (): Storage => {
  const items = new Map<string, string>()
  return {
    get length() {
      return items.size
    },
    clear: () => items.clear(),
    getItem: (name) => items.get(name) ?? null,
    key: (index) => [...items.keys()][index] ?? null,
    removeItem: (name) => void items.delete(name),
    setItem: (name, value) => void items.set(name, value),
  }
}

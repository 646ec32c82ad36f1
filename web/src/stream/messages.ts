import type { Overview, StreamEvent } from '../../../src/client/index.ts'

/** How the connection stands, for people. */
export type HubConnection =
  | { readonly status: 'connecting' }
  | { readonly status: 'live' }
  /** It is gone, and will be tried again at a moment, in ms since 1970. */
  | { readonly status: 'waiting'; readonly until: number; readonly detail: string }
  /** The server refuses the token. */
  | { readonly status: 'denied'; readonly detail: string }
  | { readonly status: 'stopped'; readonly detail: string }

/** What a page says to the hub. */
export type ToHub =
  | { readonly type: 'hello'; readonly url: string; readonly token: string }
  /** The sessions that the page shows from now on. */
  | { readonly type: 'want'; readonly sessions: readonly string[] }
  /** Do not wait for the next try. */
  | { readonly type: 'wake' }
  | { readonly type: 'leave' }

/** What the hub says to a page. */
export type FromHub =
  | { readonly type: 'connection'; readonly connection: HubConnection }
  | { readonly type: 'overview'; readonly overview: Overview }
  /** In order; the first of a session is its snapshot. */
  | { readonly type: 'events'; readonly sessionId: string; readonly events: readonly StreamEvent[] }
  /** The session is no more. */
  | { readonly type: 'gone'; readonly sessionId: string }

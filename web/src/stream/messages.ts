import type { Overview, SessionEvent } from '../../../src/client/index.ts'

/** The connection to the server, as pages show it. */
export type HubConnection =
  | { readonly status: 'connecting' }
  | { readonly status: 'live' }
  /** The connection is lost; the next try is at this time, in ms since 1970. */
  | { readonly status: 'waiting'; readonly until: number; readonly detail: string }
  /** This browser is not signed in. */
  | { readonly status: 'denied'; readonly detail: string }
  | { readonly status: 'stopped'; readonly detail: string }

/** A message from a page to the hub. */
export type ToHub =
  | { readonly type: 'connect'; readonly url: string; readonly pageKey: string }
  /** The page shows these sessions from now on. */
  | { readonly type: 'follow'; readonly sessions: readonly string[] }
  /** Reconnect without waiting any longer. */
  | { readonly type: 'retry' }
  | { readonly type: 'disconnect' }

/** A message from the hub to a page. */
export type FromHub =
  | { readonly type: 'connection'; readonly connection: HubConnection }
  | { readonly type: 'overview'; readonly overview: Overview }
  /** In order; the first events of a session begin with its snapshot. */
  | {
      readonly type: 'events'
      readonly sessionId: string
      readonly events: readonly SessionEvent[]
      /** The cursor at the last of them; absent when the server did not send it. */
      readonly cursor?: string | undefined
    }
  /** The session was deleted or does not exist. */
  | { readonly type: 'gone'; readonly sessionId: string }

/** The hub’s end of the channel to a page. */
export interface HubPort {
  postMessage(message: FromHub): void
}

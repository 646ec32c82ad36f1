import { createCaller } from './caller.ts'
import { approvalCalls } from './calls/approvals.ts'
import { commandCalls } from './calls/commands.ts'
import { authCalls, keyCalls } from './calls/keys.ts'
import { projectCalls } from './calls/projects.ts'
import { searchCall } from './calls/search.ts'
import { agentCalls, blobCalls, healthCall } from './calls/server.ts'
import { sessionCalls } from './calls/sessions.ts'
import { type FollowOptions, follow } from './follow/follow.ts'
import { type FollowAllOptions, followAll } from './follow/follow-all.ts'
import { defaultPlatform, type Platform } from './platform.ts'
import { each } from './stream/each.ts'
import { type ManyStreamOptions, manyStream } from './stream/many-stream.ts'
import { oneSession } from './stream/one-session.ts'
import { readStream, type StreamOptions } from './stream/read-stream.ts'
import { createTransport, type Token } from './transport.ts'

export interface ClientOptions extends Partial<Platform> {
  /** Where the server is, such as `http://127.0.0.1:3000`. */
  url: string
  /** A token or an API key, or what gives the one that is valid now. */
  token?: Token
}

export interface SessionStreamOptions extends StreamOptions {
  /** The last seq that was seen; without it, the stream begins with a snapshot. */
  after?: number
}

/** Speaks to a server: every call, and the streams. What goes wrong is an `ApiError`. */
export const createClient = ({ url, token, ...platform }: ClientOptions) => {
  const transport = createTransport(url, token, { ...defaultPlatform, ...platform })
  const caller = createCaller(transport)
  return {
    health: healthCall(caller),
    agents: agentCalls(caller),
    projects: projectCalls(caller),
    sessions: {
      ...sessionCalls(caller),
      ...commandCalls(caller),
      /**
       * The events of a session as they happen. Comes back by itself with its cursor; throws on 401,
       * 403, 404 and 410; ends when the signal does.
       */
      stream: (id: string, { after, ...options }: SessionStreamOptions = {}) =>
        each(readStream(transport, oneSession(id, after), options)),
    },
    /** Where words occur in all sessions. */
    search: searchCall(caller),
    approvals: approvalCalls(caller),
    blobs: blobCalls(caller),
    auth: authCalls(caller),
    keys: keyCalls(caller),
    /** Several sessions and what concerns all of them, on one connection. */
    stream: (options?: ManyStreamOptions) => manyStream(transport, options),
    /** What a reader of a session sees, as a store, on a connection of its own. */
    follow: (id: string, options?: FollowOptions) => follow(transport, id, options),
    /** All sessions as an overview, and the transcripts that are wanted, on one connection. */
    followAll: (options?: FollowAllOptions) => followAll(transport, options),
  }
}
export type Client = ReturnType<typeof createClient>

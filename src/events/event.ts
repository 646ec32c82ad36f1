import { z } from 'zod'
import { connectionEvents } from './connection-events.ts'
import { flowEvents } from './flow-events.ts'
import { runEvents } from './run-events.ts'
import { sessionEvents } from './session-events.ts'
import { toolEvents } from './tool-events.ts'

/** Everything an agent can do: what decoders give, logs keep and readers see. */
export const agentEvent = z.discriminatedUnion('type', [
  ...sessionEvents,
  ...runEvents,
  ...toolEvents,
  ...flowEvents,
])

/** What a server says about the connection itself. */
export const connectionEvent = z.discriminatedUnion('type', [...connectionEvents])

import { z } from 'zod'
import { connectionEvents } from './connection-events.ts'
import { flowEvents } from './flow-events.ts'
import { runEvents } from './run-events.ts'
import { sessionEvents } from './session-events.ts'
import { toolEvents } from './tool-events.ts'

export const agentEvent = z
  .discriminatedUnion('type', [...sessionEvents, ...runEvents, ...toolEvents, ...flowEvents])
  .describe(
    'One thing that happened in a session. Decoders emit these events, and logs store them.',
  )

export const connectionEvent = z
  .discriminatedUnion('type', [...connectionEvents])
  .describe('An event of the server about one connection. It is not stored.')

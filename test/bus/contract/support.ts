import type { Bus, BusReport } from '../../../src/bus/bus.ts'
import { type PayloadOf, PiSdkSubjects, type RequestOf } from '../../../src/bus/index.ts'
import type { Pattern } from '../../../src/bus/pattern.ts'

/** Opens a new bus with its error reports; it is closed after the test. */
export type Start = () => Promise<{ bus: Bus; reports: BusReport[] }>

/** A valid approval request. */
export const approvalRequest: RequestOf<typeof PiSdkSubjects.tool_approval> = {
  adapterId: 'adapter',
  adapterName: 'piSdk',
  adapterSessionId: 'native',
  agentId: 'agent',
  args: { command: 'rm -r /' },
  toolCallId: 'call',
  toolName: 'bash',
}

/** A payload whose session is its text. */
export const delta = (text: string): PayloadOf<typeof PiSdkSubjects.text_delta> => ({
  eventType: 'text_delta',
  delta: text,
  sessionId: text,
})

/** A payload of a subject with more tokens. */
export const turn = (sessionId: string): PayloadOf<'adapter:piSdk.turn.turn_started'> => ({
  adapterId: 'adapter',
  agentId: 'agent',
  oldState: 'idle',
  newState: 'turn_started',
  timestamp: 1,
  sessionId,
})

/** Waits for some turns of the event loop. */
export const turns = async (count: number): Promise<void> => {
  for (let left = count; left > 0; left -= 1)
    await new Promise<void>((resolve) => {
      setImmediate(resolve)
    })
}

/** Collects the next messages of a pattern, with a pause after each. */
export const collect = <Wanted extends Pattern>(
  bus: Bus,
  pattern: Wanted,
  count: number,
  pause: () => Promise<void> = async () => {},
) => {
  type Received = Parameters<Parameters<typeof bus.on<Wanted>>[1]>[0]
  return new Promise<Received[]>((resolve) => {
    const received: Received[] = []
    bus.on<Wanted>(pattern, async (message) => {
      await pause()
      received.push(message)
      if (received.length === count) resolve(received)
    })
  })
}

/** Adds a responder that never answers; resolves with the reason why its request ended. */
export const neverRespond = (bus: Bus): Promise<unknown> =>
  new Promise((resolve) => {
    bus.respond(PiSdkSubjects.tool_approval, (_, { signal }) => {
      signal.addEventListener('abort', () => resolve(signal.reason))
      return new Promise(() => {})
    })
  })

/** Calls a method with arguments that the types refuse, as a JavaScript program might. */
export const callUntyped = (method: object, ...args: unknown[]): unknown =>
  typeof method === 'function' ? Reflect.apply(method, undefined, args) : undefined

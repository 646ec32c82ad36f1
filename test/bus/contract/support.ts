import type { Bus, BusReport } from '../../../src/bus/bus.ts'
import { type PayloadOf, PiSdkSubjects, type RequestOf } from '../../../src/bus/index.ts'
import type { Pattern } from '../../../src/bus/pattern.ts'

/** A fresh bus with what it has reported; it is closed after the test. */
export type Start = () => Promise<{ bus: Bus; reports: BusReport[] }>

/** A request that a responder can answer. */
export const ask: RequestOf<typeof PiSdkSubjects.tool_approval> = {
  adapterId: 'adapter',
  adapterName: 'piSdk',
  adapterSessionId: 'native',
  agentId: 'agent',
  args: { command: 'rm -r /' },
  toolCallId: 'call',
  toolName: 'bash',
}

/** A payload that names itself. */
export const delta = (text: string): PayloadOf<typeof PiSdkSubjects.text_delta> => ({
  eventType: 'text_delta',
  delta: text,
  sessionId: text,
})

/** Another one, on a subject with more tokens. */
export const turn = (sessionId: string): PayloadOf<'adapter:piSdk.turn.turn_started'> => ({
  adapterId: 'adapter',
  agentId: 'agent',
  oldState: 'idle',
  newState: 'turn_started',
  timestamp: 1,
  sessionId,
})

/** A reply without an answer. */
export const no = (outcome: string) => ({ outcome })

/** Turns of the event loop, for handlers that take their time. */
export const turns = async (count: number): Promise<void> => {
  for (let left = count; left > 0; left -= 1)
    await new Promise<void>((resolve) => {
      setImmediate(resolve)
    })
}

/** The next messages of a pattern, each taken as slowly as wanted. */
export const gather = <Wanted extends Pattern>(
  bus: Bus,
  pattern: Wanted,
  count: number,
  pause: () => Promise<void> = async () => {},
) => {
  type Heard = Parameters<Parameters<typeof bus.on<Wanted>>[1]>[0]
  return new Promise<Heard[]>((resolve) => {
    const heard: Heard[] = []
    bus.on<Wanted>(pattern, async (message) => {
      await pause()
      heard.push(message)
      if (heard.length === count) resolve(heard)
    })
  })
}

/** A responder that never answers; settles with what its signal says. */
export const silence = (bus: Bus): Promise<unknown> =>
  new Promise((resolve) => {
    bus.respond(PiSdkSubjects.tool_approval, (_, { signal }) => {
      signal.addEventListener('abort', () => resolve(signal.reason))
      return new Promise(() => {})
    })
  })

/** A call that the types would refuse, as a program without types might make it. */
export const call = (method: object, ...args: unknown[]): unknown =>
  typeof method === 'function' ? Reflect.apply(method, undefined, args) : undefined

import { accepted } from '../../api/command.ts'
import type { CompactBody, ModelBody, PromptBody } from '../../api/types.ts'
import type { Caller, CallOptions, OnceOptions } from '../caller.ts'
import { path } from '../path.ts'

/** `sessions/:id/…`: what an agent is asked to do. What comes of it is told by the stream. */
export const commandCalls = (caller: Caller) => {
  const say =
    (verb: 'prompt' | 'steer' | 'follow-up') =>
    (id: string, said: string | PromptBody, options?: OnceOptions) => {
      const body = typeof said === 'string' ? { text: said } : said
      return caller.once(
        { method: 'POST', path: path`sessions/${id}/${verb}`, body },
        accepted,
        options,
      )
    }
  const tell = (verb: string, id: string, body: unknown, options?: CallOptions) =>
    caller.get({ method: 'POST', path: path`sessions/${id}/${verb}`, body }, accepted, options)
  return {
    /** A new run; refused while one goes on. */
    prompt: say('prompt'),
    /** Delivered as soon as the agent takes it. */
    steer: say('steer'),
    /** Delivered when the run is over. */
    followUp: say('follow-up'),
    /** Ends the run. */
    abort: (id: string, options?: CallOptions) => tell('abort', id, {}, options),
    /** Summarises the context. */
    compact: (id: string, body: CompactBody = {}, options?: CallOptions) =>
      tell('compact', id, body, options),
    /** Another model, or how much it may think. */
    model: (id: string, body: ModelBody, options?: CallOptions) => tell('model', id, body, options),
  }
}

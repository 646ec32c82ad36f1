import type {
  Accepted,
  CompactBody,
  ModeList,
  ModelBody,
  PromptBody,
  QueueList,
  SwitchBody,
} from '../../api/types.ts'
import type { ApiCall, Caller, CallOptions, OnceOptions } from '../caller.ts'
import { hasFields } from '../response.ts'
import { path } from '../transport.ts'
import { type ConfirmOptions, proofHeaders } from './passkeys.ts'

/** Commands to the agent of a session. They return when the agent accepts; the stream has the rest. */
export interface CommandCalls {
  /** Starts a run. Refused while a run is in progress. */
  prompt(id: string, prompt: string | PromptBody, options?: OnceOptions): Promise<Accepted>
  /** Adds a message to the current run, as soon as the agent can read it. */
  steer(id: string, prompt: string | PromptBody, options?: OnceOptions): Promise<Accepted>
  /** Queues a message until the current run ends. */
  followUp(id: string, prompt: string | PromptBody, options?: OnceOptions): Promise<Accepted>
  /** The messages that wait for the agent. */
  queue(id: string, options?: CallOptions): Promise<QueueList>
  /** Replaces the text of a message that waits. */
  editQueued(id: string, messageId: string, text: string, options?: CallOptions): Promise<Accepted>
  /** Removes a message from the queue. */
  removeQueued(id: string, messageId: string, options?: CallOptions): Promise<Accepted>
  /** Sends a message that waits now: into the run if there is one, otherwise as a prompt. */
  sendQueued(id: string, messageId: string, options?: CallOptions): Promise<Accepted>
  /** Stops the current run. */
  abort(id: string, options?: CallOptions): Promise<Accepted>
  /** Stops a background task of the agent. */
  stopTask(id: string, taskId: string, options?: CallOptions): Promise<Accepted>
  /** Replaces the agent’s context with a summary of it. */
  compact(id: string, body?: CompactBody, options?: CallOptions): Promise<Accepted>
  /** Changes the model or the thinking level. */
  model(id: string, body: ModelBody, options?: CallOptions): Promise<Accepted>
  /** Changes the permission mode. */
  mode(id: string, mode: string, options?: ConfirmOptions): Promise<Accepted>
  /** Returns the permission modes that `mode` accepts, and the current one. */
  modes(id: string, options?: CallOptions): Promise<ModeList>
  /** Switches on or off what the agent does by itself. */
  switches(id: string, body: SwitchBody, options?: CallOptions): Promise<Accepted>
  /** Runs a shell command through the agent. */
  shell(id: string, command: string, options?: ConfirmOptions): Promise<Accepted>
  /** Stops the shell commands that run through the agent. */
  stopShell(id: string, options?: CallOptions): Promise<Accepted>
}

const isQueueList = hasFields<QueueList>('sessionId', 'items')
const isModeList = hasFields<ModeList>('sessionId', 'modes')
const isAccepted = hasFields<Accepted>('sessionId', 'outcome', 'seq')

export const commandCalls = (caller: Caller): CommandCalls => {
  const command = (id: string, verb: string, body: unknown): ApiCall => ({
    method: 'POST',
    path: path`sessions/${id}/${verb}`,
    body,
  })
  const message =
    (verb: 'prompt' | 'steer' | 'follow-up'): CommandCalls['prompt'] =>
    (id, prompt, options) => {
      const body = typeof prompt === 'string' ? { text: prompt } : prompt
      return caller.once(command(id, verb, body), isAccepted, options)
    }
  const queued = (method: 'PATCH' | 'DELETE', id: string, messageId: string): ApiCall => ({
    method,
    path: path`sessions/${id}/queue/${messageId}`,
  })
  const confirmed = (call: ApiCall, { proof, ...options }: ConfirmOptions = {}) =>
    caller.json({ ...call, headers: proofHeaders(proof) }, isAccepted, options)
  return {
    prompt: message('prompt'),
    steer: message('steer'),
    followUp: message('follow-up'),
    queue: (id, options) =>
      caller.json({ method: 'GET', path: path`sessions/${id}/queue` }, isQueueList, options),
    editQueued: (id, messageId, text, options) =>
      caller.json({ ...queued('PATCH', id, messageId), body: { text } }, isAccepted, options),
    removeQueued: (id, messageId, options) =>
      caller.json(queued('DELETE', id, messageId), isAccepted, options),
    sendQueued: (id, messageId, options) =>
      caller.json(
        { method: 'POST', path: path`sessions/${id}/queue/${messageId}/send`, body: {} },
        isAccepted,
        options,
      ),
    abort: (id, options) => caller.json(command(id, 'abort', {}), isAccepted, options),
    stopTask: (id, taskId, options) =>
      caller.json(
        { method: 'POST', path: path`sessions/${id}/tasks/${taskId}/stop`, body: {} },
        isAccepted,
        options,
      ),
    compact: (id, body = {}, options) =>
      caller.json(command(id, 'compact', body), isAccepted, options),
    model: (id, body, options) => caller.json(command(id, 'model', body), isAccepted, options),
    mode: (id, mode, options) => confirmed(command(id, 'mode', { mode }), options),
    modes: (id, options) => caller.json({ path: path`sessions/${id}/modes` }, isModeList, options),
    switches: (id, body, options) =>
      caller.json(command(id, 'switches', body), isAccepted, options),
    shell: (id, text, options) => confirmed(command(id, 'shell', { command: text }), options),
    stopShell: (id, options) =>
      caller.json(
        { method: 'POST', path: path`sessions/${id}/shell/stop`, body: {} },
        isAccepted,
        options,
      ),
  }
}

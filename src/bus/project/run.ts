import type { BlobRef } from '../../events/types.ts'
import {
  type AdapterMessage,
  type Context,
  isMain,
  type ProjectionTable,
  type Stamped,
} from './context.ts'

/** What becomes of the events about runs, and of what went wrong. */
export const runProjections: ProjectionTable = {
  session_start: learnModel,
  session_update: learnModel,
  agent_start({ sessionId }, { to, run, model }) {
    run.begin()
    return [
      {
        subject: to.agent_started,
        payload: { eventType: 'agent_started', ...(model !== undefined && { model }), sessionId },
      },
    ]
  },
  agent_end: (event, context) => [...failed(event, context), ...complete(event, context)],
  error({ type, seq, timestamp, sessionId, ...error }, { to }) {
    return [{ subject: to.error, payload: { error, eventType: 'error', sessionId } }]
  },
  raw: ({ line, sessionId, blob }, context) => [nativeMessage(line, sessionId, context, blob)],
}

/** An agent’s own event as a message. One that has no name comes as the line of a `raw` event. */
export const nativeMessage = (
  native: unknown,
  sessionId: string,
  { to }: Context,
  blob?: BlobRef,
): AdapterMessage => ({
  subject: to['sdk.event'],
  // Last, because `sessionId` means the same on every subject.
  payload: {
    ...(isNamed(native) ? native : { type: 'raw', line: native }),
    ...(blob && { blob }),
    sessionId,
  },
})

function learnModel(
  event: Stamped<'session_start' | 'session_update'>,
  context: Context,
): AdapterMessage[] {
  if (isMain(event)) context.model = event.model ?? context.model
  return []
}

const failed = (event: Stamped<'agent_end'>, { to }: Context): AdapterMessage[] => {
  const { stopReason, errorMessage: message = 'The agent failed.', sessionId } = event
  if (stopReason !== 'error') return []
  return [{ subject: to.error, payload: { error: { message }, eventType: 'error', sessionId } }]
}

const complete = (event: Stamped<'agent_end'>, { to, run, inputs }: Context): AdapterMessage[] => {
  const { type, seq, timestamp, parentToolCallId, ...rest } = event
  inputs.clear()
  return [
    {
      subject: to.agent_complete,
      payload: { eventType: 'agent_complete', ...run.end(), ...rest },
    },
  ]
}

const isNamed = (native: unknown): native is { type: string } =>
  typeof native === 'object' &&
  native !== null &&
  'type' in native &&
  typeof native.type === 'string'

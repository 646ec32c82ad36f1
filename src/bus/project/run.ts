import {
  type AdapterMessage,
  isMainThread,
  type ProjectionContext,
  type ProjectionTable,
  type Stamped,
} from './context.ts'

/** Projects the events about runs, and errors. */
export const runProjections: ProjectionTable = {
  session_start: noteModel,
  session_update: noteModel,
  agent_start({ sessionId }, { subjects, run, model }) {
    run.begin()
    return [
      {
        subject: subjects.agent_started,
        payload: { eventType: 'agent_started', ...(model !== undefined && { model }), sessionId },
      },
    ]
  },
  agent_end: (event, context) => [...failure(event, context), ...completion(event, context)],
  error({ type, seq, timestamp, sessionId, ...error }, { subjects }) {
    return [{ subject: subjects.error, payload: { error, eventType: 'error', sessionId } }]
  },
}

/** An agent’s own event as a message. One without a `type` becomes the `line` of a `raw` one. */
export const nativeMessage = (
  native: unknown,
  sessionId: string,
  { subjects }: ProjectionContext,
): AdapterMessage => ({
  subject: subjects['sdk.event'],
  payload: {
    ...(hasType(native) ? native : { type: 'raw', line: native }),
    sessionId, // last: the agent’s own event may have a field of that name
  },
})

function noteModel(
  event: Stamped<'session_start' | 'session_update'>,
  context: ProjectionContext,
): AdapterMessage[] {
  if (isMainThread(event)) context.model = event.model ?? context.model
  return []
}

const failure = (
  event: Stamped<'agent_end'>,
  { subjects }: ProjectionContext,
): AdapterMessage[] => {
  const { stopReason, errorMessage: message = 'The agent failed.', sessionId } = event
  if (stopReason !== 'error') return []
  const payload = { error: { message }, eventType: 'error' as const, sessionId }
  return [{ subject: subjects.error, payload }]
}

const completion = (
  event: Stamped<'agent_end'>,
  { subjects, run, inputs }: ProjectionContext,
): AdapterMessage[] => {
  const { type, seq, timestamp, parentToolCallId, ...outcome } = event
  inputs.clear()
  return [
    {
      subject: subjects.agent_complete,
      payload: { eventType: 'agent_complete', ...run.end(), ...outcome },
    },
  ]
}

const hasType = (native: unknown): native is { type: string } =>
  typeof native === 'object' &&
  native !== null &&
  'type' in native &&
  typeof native.type === 'string'

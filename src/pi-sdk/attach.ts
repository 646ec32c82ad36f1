import { createPiDecoder } from '../agents/pi/decode.ts'
import { PiSdkNamespace, PiSdkSubjects } from '../bus/adapters.ts'
import type { Bus } from '../bus/bus.ts'
import { type AdapterIds, createProjection } from '../bus/project.ts'
import { projectSession } from '../bus/project-session.ts'
import type { AgentEvent, StampedEvent } from '../events/types.ts'
import { createLedger } from '../ledger/ledger.ts'
import { createAnnotator } from '../session/recording/annotate.ts'
import { createRecorder } from '../session/recording/recorder.ts'
import { catchErrors } from '../shared/catch-errors.ts'
import { defined, isFields } from '../shared/fields.ts'
import type { ApprovalEvent, PiApprovalExtension } from './approval.ts'
import { copyPiEvent, jsonCopy } from './copy.ts'
import type { PiSession } from './sdk.ts'

export * from './approval.ts'
export type * from './sdk.ts'

/** Where the events of an attached session go. */
export interface AttachOptions extends Partial<AdapterIds> {
  bus: Bus
  /** The session’s id in the log and on the bus; Pi’s own id by default. */
  sessionId?: string
  /** The extension that the session was created with: its approvals are recorded too. */
  approvals?: PiApprovalExtension
  /** Stores events before they are published; without it they are only published. */
  append?(events: readonly StampedEvent[]): Promise<void>
  /** The seq of the last stored event. */
  after?: number
  now?(): number
  /** Receives what goes wrong here. The Pi session never sees these errors. */
  onError(cause: unknown): void
}

/** A Pi session whose events are recorded and published. */
export interface AttachedSession {
  /** Resolves when all events so far are stored and published. */
  settled(): Promise<void>
  /** Stops listening. A run that is in progress is closed as interrupted. */
  detach(): Promise<void>
}

/** Records and publishes the events of a Pi SDK session that runs in this process. */
export const attachPiSession = (session: PiSession, options: AttachOptions): AttachedSession => {
  const { after = 0 } = options
  // Later, so that an error thrown by onError cannot end a run of Pi either.
  const report = (cause: unknown) => queueMicrotask(() => options.onError(cause))
  /** An error thrown into the SDK would end its run. */
  const guarded = catchErrors(report)
  const output = createOutput(options.sessionId ?? session.sessionId, options, report)
  const decoder = createPiDecoder({ scope: after === 0 ? '' : `${after}-` })
  const openApprovals = new Set<string>()
  let model: string | undefined
  let isAttached = true

  /** No event of the SDK reports the model’s context window. */
  const recordModel = () => {
    if (session.model?.id === model) return
    model = session.model?.id
    output.record([modelUpdate(session)])
  }

  const acceptEvent = (event: object) => {
    const copy = isFields(event) ? copyPiEvent(event) : undefined
    if (copy?.type === 'message_start') recordModel()
    if (copy) output.record(decoder.push(copy))
    output.publishNative(event)
  }

  const acceptApproval = (event: ApprovalEvent) => {
    if (event.type === 'approval_request') openApprovals.add(event.approvalId)
    else openApprovals.delete(event.approvalId)
    output.record([event])
  }

  const cwd = session.sessionManager?.getCwd()
  output.record(decoder.push({ type: 'session', id: session.sessionId, cwd }))
  recordModel()
  const unsubscribe = [
    session.subscribe((event) => guarded(() => acceptEvent(event))),
    options.approvals?.subscribe((event) => guarded(() => acceptApproval(event))),
  ]

  return {
    settled: output.settled,
    async detach() {
      if (!isAttached) return
      isAttached = false
      for (const each of unsubscribe) each?.()
      output.record([...openApprovals].map(abandoned))
      output.record(decoder.end())
      await output.close()
    },
  }
}

/** Annotates events, stores them and publishes them on the bus. */
const createOutput = (
  sessionId: string,
  options: AttachOptions,
  report: (cause: unknown) => void,
) => {
  const { bus, adapterId = 'piSdk', agentId = 'pi', after = 0, now = Date.now } = options
  const annotate = createAnnotator(createLedger())
  const projection = createProjection(PiSdkNamespace, { adapterId, agentId })
  const guarded = catchErrors(report)

  const recorder = createRecorder({
    sessionId,
    after,
    now,
    append: options.append ?? (async () => {}),
    publish(event) {
      guarded(() => {
        for (const { subject, payload } of projectSession(event)) bus.emit(subject, payload)
      })
      guarded(() => {
        for (const { subject, payload } of projection.push(event)) bus.emit(subject, payload)
      })
    },
    onFailure: report,
  })

  return {
    record: (events: readonly AgentEvent[]): void => recorder.push(annotate(events)),
    /** Publishes a copy of Pi’s own event, whole: Pi keeps changing its objects. */
    publishNative(event: object): void {
      if (!bus.isWanted(PiSdkSubjects['sdk.event'])) return
      const { subject, payload } = projection.native(jsonCopy(event), sessionId)
      bus.emit(subject, payload)
    },
    settled: recorder.settled,
    close: recorder.close,
  }
}

const modelUpdate = ({ model, thinkingLevel, sessionName }: PiSession): AgentEvent => ({
  type: 'session_update',
  ...defined({
    model: model?.id,
    contextWindow: model?.contextWindow,
    thinkingLevel,
    name: sessionName,
  }),
})

/** Closes an approval whose outcome is not observed any more. */
const abandoned = (approvalId: string): AgentEvent => ({
  type: 'approval_resolved',
  approvalId,
  action: 'deny',
  outcome: 'agent_gone',
})

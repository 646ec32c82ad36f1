import { createPiDecoder } from '../agents/pi/decode.ts'
import { PiSdkNamespace } from '../bus/adapters.ts'
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
import { copyPiEvent } from './copy.ts'
import type { PiSession } from './sdk.ts'

export * from './approval.ts'
export type * from './sdk.ts'

/** Where the events of an attached session go. */
export interface AttachOptions extends Partial<AdapterIds> {
  bus: Bus
  /** The session in the log and on the bus; Pi’s own id unless told otherwise. */
  sessionId?: string
  /** The gate that the session was made with, so that what it asks is kept as well. */
  approvals?: PiApprovalExtension
  /** Keeps events before they are told; without it they are only told. */
  append?(events: readonly StampedEvent[]): Promise<void>
  /** The last seq that is in the log. */
  after?: number
  /** Tells each event in Pi’s own words too (`sdk.event`), without its snapshots. */
  native?: boolean
  now?(): number
  /** Told what went wrong here. The session of Pi never notices. */
  onError(cause: unknown): void
}

/** A session that is listened to. */
export interface AttachedSession {
  /** Settles when all that was heard so far is kept and told. */
  settled(): Promise<void>
  /** Listens no more; a run that is open is closed as interrupted. */
  detach(): Promise<void>
}

/** Makes a session of the Pi SDK, which runs in this process, a stream like every other. */
export const attachPiSession = (session: PiSession, options: AttachOptions): AttachedSession => {
  const { bus, adapterId = 'piSdk', agentId = 'pi', after = 0, now = Date.now } = options
  const sessionId = options.sessionId ?? session.sessionId
  const decoder = createPiDecoder({ scope: after === 0 ? '' : `${after}-` })
  const ledger = createLedger()
  const annotate = createAnnotator(ledger)
  const projection = createProjection(PiSdkNamespace, { adapterId, agentId })
  const questions = new Set<string>()
  let model: string | undefined
  let isAttached = true

  // Later, so that whatever onError does, no run of Pi is cut short by it.
  const report = (cause: unknown) => queueMicrotask(() => options.onError(cause))

  /** An error thrown into the SDK would end its run. */
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

  const record = (events: readonly AgentEvent[]) => recorder.push(annotate(events))

  /** No event of the SDK says how much the model can hold. */
  const noteModel = () => {
    if (session.model?.id === model) return
    model = session.model?.id
    record([
      {
        type: 'session_update',
        ...defined({
          model,
          contextWindow: session.model?.contextWindow,
          thinkingLevel: session.thinkingLevel,
          name: session.sessionName,
        }),
      },
    ])
  }

  const hear = (event: object) => {
    const copy = isFields(event) ? copyPiEvent(event) : undefined
    if (!copy) return
    if (copy.type === 'message_start') noteModel()
    record(decoder.push(copy))
    if (!options.native) return
    const { subject, payload } = projection.native(copy, sessionId)
    bus.emit(subject, payload)
  }

  const hearApproval = (event: ApprovalEvent) => {
    if (event.type === 'approval_request') questions.add(event.approvalId)
    else questions.delete(event.approvalId)
    record([event])
  }

  const cwd = session.sessionManager?.getCwd()
  record(decoder.push({ type: 'session', id: session.sessionId, cwd }))
  noteModel()
  const undo = [
    session.subscribe((event) => guarded(() => hear(event))),
    options.approvals?.subscribe((event) => guarded(() => hearApproval(event))),
  ]

  return {
    settled: recorder.settled,
    async detach() {
      if (!isAttached) return
      isAttached = false
      for (const each of undo) each?.()
      record([...questions].map(unheard))
      record(decoder.end())
      await recorder.close()
    },
  }
}

/** What becomes of the question is not heard any more. */
const unheard = (approvalId: string): AgentEvent => ({
  type: 'approval_resolved',
  approvalId,
  action: 'deny',
  outcome: 'agent_gone',
})

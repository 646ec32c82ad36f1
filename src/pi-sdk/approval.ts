import { randomUUID } from 'node:crypto'
import { PiSdkSubjects } from '../bus/adapters.ts'
import type { Bus, BusReply } from '../bus/bus.ts'
import type { AdapterIds } from '../bus/project.ts'
import type { RequestOf, ResponseOf } from '../bus/subjects/table.ts'
import type { EventOf } from '../events/types.ts'
import { addAllowance, defaultDeadlineMs, isAllowed } from '../session/conversation/approvals.ts'
import { defined, fieldsOf } from '../shared/fields.ts'
import { reasonOf } from '../shared/reason.ts'
import { plain } from './copy.ts'
import type { PiBlock, PiContext, PiExtensionApi, PiToolCall } from './sdk.ts'

type Subject = typeof PiSdkSubjects.tool_approval
type Input = Record<string, unknown>

/** What a gate in front of Pi’s tools needs. */
export interface PiApprovalOptions extends Partial<AdapterIds> {
  bus: Bus
  /** The session in whose name it asks; Pi’s own id unless told otherwise. */
  sessionId?: string
  /** How long an answer may take before it is a deny. */
  deadlineMs?: number
  now?(): number
}

/** A question that was asked, or what became of it. */
export type ApprovalEvent = EventOf<'approval_request' | 'approval_resolved'>

/** An extension for `extensionFactories`; whoever keeps events can listen to what it asks. */
export interface PiApprovalExtension {
  (pi: PiExtensionApi): void
  /** Returns its undo. */
  subscribe(listener: (event: ApprovalEvent) => void): () => void
}

type Resolved = EventOf<'approval_resolved'>

/** What is done with the call, and how that was decided. */
interface Verdict {
  response: ResponseOf<Subject>
  outcome: Resolved['outcome']
  by?: string
}

/**
 * Makes Pi ask on the bus before each tool call. It runs only when somebody answered and allowed
 * it; whatever else comes of the question is a deny, and its reason is told to the model.
 */
export const piApprovalExtension = (options: PiApprovalOptions): PiApprovalExtension => {
  const { bus, deadlineMs = defaultDeadlineMs, now = Date.now } = options
  const { adapterId = 'piSdk', agentId = 'pi' } = options
  const listeners = new Set<(event: ApprovalEvent) => void>()
  /** What may run unasked, by session: Pi may go on to another with the same extension. */
  const sessions = new Map<string, Set<string>>()

  const rememberedIn = (sessionId: string): Set<string> => {
    const known = sessions.get(sessionId) ?? new Set<string>()
    sessions.set(sessionId, known)
    return known
  }

  const tell = (event: ApprovalEvent) => {
    for (const listener of listeners) listener(event)
  }

  const ask = async (call: PiToolCall, args: Input, context: PiContext): Promise<Verdict> => {
    const { toolCallId, toolName } = call
    const { signal, sessionManager } = context
    const adapterSessionId = sessionManager.getSessionId()
    const request: RequestOf<Subject> = {
      adapterId,
      adapterName: 'piSdk',
      adapterSessionId,
      agentId,
      args,
      occurredAt: now(),
      sessionId: options.sessionId ?? adapterSessionId,
      toolCallId,
      toolName,
    }
    const reply = await bus.request(PiSdkSubjects.tool_approval, request, {
      deadlineMs,
      ...(signal && { signal }),
    })
    return verdictOf(reply, signal?.aborted ?? false)
  }

  const decide = async (call: PiToolCall, context: PiContext): Promise<PiBlock | undefined> => {
    const { toolCallId, toolName, input } = call
    const args = { ...fieldsOf(plain(input)) }
    const remembered = rememberedIn(context.sessionManager.getSessionId())
    const approvalId = randomUUID()
    const deadline = now() + deadlineMs
    tell({
      type: 'approval_request',
      approvalId,
      kind: 'tool',
      toolCallId,
      toolName,
      args,
      deadline,
    })

    const isKnown = isAllowed(remembered, { toolName, args })
    const verdict = isKnown ? allowedBefore : await ask(call, args, context).catch(failed)
    tell({ approvalId, toolCallId, ...resolved(verdict) })

    const { response } = verdict
    if (response.action === 'deny') return { block: true, reason: response.message ?? 'Denied.' }
    addAllowance(remembered, { toolName, args }, response)
    if (response.updatedInput) rewrite(input, response.updatedInput)
    return undefined
  }

  const extension = (pi: PiExtensionApi): void => {
    pi.on('tool_call', decide)
  }
  return Object.assign(extension, {
    subscribe(listener: (event: ApprovalEvent) => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  })
}

const allowedBefore: Verdict = { response: { action: 'allow' }, outcome: 'policy', by: 'session' }

const deny = (outcome: Verdict['outcome'], message: string): Verdict => ({
  response: { action: 'deny', message },
  outcome,
})

const failed = (cause: unknown): Verdict =>
  deny('policy', `Denied: asking failed: ${reasonOf(cause)}`)

/** No answer means no, and the reason says which. */
const verdictOf = (reply: BusReply<ResponseOf<Subject>>, isAborted: boolean): Verdict => {
  switch (reply.outcome) {
    case 'answered':
      return { response: reply.value, outcome: 'answered' }
    case 'timed_out':
      return deny('expired', 'Denied: no answer in time.')
    case 'no_responder':
      return deny('policy', 'Denied: nobody is there to answer.')
    case 'failed':
      return failed(reply.message)
    case 'closed':
      return deny('cancelled', isAborted ? 'The run was stopped.' : 'Denied: the bus is closed.')
  }
}

const resolved = ({ response, outcome, by }: Verdict): Omit<Resolved, 'approvalId'> => {
  const { action, message } = response
  const updatedInput = action === 'allow' ? response.updatedInput : undefined
  return { type: 'approval_resolved', action, outcome, ...defined({ by, message, updatedInput }) }
}

/** Pi runs the tool with the very object that it has shown. */
const rewrite = (input: object, updatedInput: Input) => {
  for (const key of Object.keys(input)) Reflect.deleteProperty(input, key)
  Object.assign(input, updatedInput)
}

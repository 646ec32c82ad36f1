import { randomUUID } from 'node:crypto'
import type { Bus, Reply } from '../../bus/bus.ts'
import type { AdapterIds } from '../../bus/project.ts'
import { PiSdkSubjects } from '../../bus/subjects/pi-sdk.ts'
import type { RequestOf, ResponseOf } from '../../bus/subjects/table.ts'
import type { EventOf } from '../../events/event.ts'
import { defaultDeadlineMs } from '../approvals.ts'
import { plain } from './copy.ts'
import type { PiBlock, PiContext, PiExtensionApi, PiToolCall } from './sdk.ts'

type Subject = typeof PiSdkSubjects.tool_approval
type Response = ResponseOf<Subject>

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

/** What is done with the call, and how that was decided. */
interface Verdict {
  response: Response
  outcome: EventOf<'approval_resolved'>['outcome']
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
  const remembered = new Set<string>()

  const tell = (event: ApprovalEvent) => {
    for (const listener of listeners) listener(event)
  }

  const ask = async (call: PiToolCall, args: object, context: PiContext): Promise<Verdict> => {
    const adapterSessionId = context.sessionManager.getSessionId()
    const request: RequestOf<Subject> = {
      adapterId,
      adapterName: 'piSdk',
      adapterSessionId,
      agentId,
      args: { ...args },
      occurredAt: now(),
      sessionId: options.sessionId ?? adapterSessionId,
      toolCallId: call.toolCallId,
      toolName: call.toolName,
    }
    const { signal } = context
    const asking = { deadlineMs, ...(signal && { signal }) }
    return verdictOf(await bus.request(PiSdkSubjects.tool_approval, request, asking))
  }

  const decide = async (call: PiToolCall, context: PiContext): Promise<PiBlock | undefined> => {
    const { toolCallId, toolName } = call
    const args = copyOf(call.input)
    const [tool, command] = keysOf(toolName, args)
    const approvalId = randomUUID()
    const deadline = now() + deadlineMs
    tell({ type: 'approval_request', approvalId, toolCallId, toolName, args, deadline })

    const isKnown = remembered.has(tool) || remembered.has(command)
    const verdict = isKnown ? known : await ask(call, args, context)
    const { response, ...decided } = verdict
    const { remember, updatedInput, ...told } = { ...none, ...response }
    tell({ type: 'approval_resolved', approvalId, toolCallId, ...told, ...decided, ...(updatedInput && { updatedInput }) })

    if (response.action === 'deny') return { block: true, reason: response.message ?? 'Denied.' }
    if (remember) remembered.add(remember === 'tool' ? tool : command)
    if (updatedInput) rewrite(call.input, updatedInput)
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

import { randomUUID } from 'node:crypto'
import { piKnownCall } from '../agents/pi/known-calls.ts'
import { PiSdkSubjects } from '../bus/adapters.ts'
import type { Bus, BusReply } from '../bus/bus.ts'
import type { AdapterIds } from '../bus/project.ts'
import { requestToolApproval } from '../bus/request-approval.ts'
import type { AgentSubjects } from '../bus/subjects/agent.ts'
import type { RequestOf, ResponseOf } from '../bus/subjects/table.ts'
import type { EventOf } from '../events/types.ts'
import { approvalHash } from '../session/conversation/approval-hash.ts'
import { createMemoryProjectRules } from '../session/rules/project-rules.ts'
import { createRuleBook } from '../session/rules/rule-book.ts'
import { createSessionRules } from '../session/rules/session-rules.ts'
import { defined, fieldsOf } from '../shared/fields.ts'
import { reasonOf } from '../shared/reason.ts'
import { jsonCopy } from './copy.ts'
import type { PiBlock, PiContext, PiExtensionApi, PiToolCall } from './sdk.ts'

const defaultDeadlineMs = 5 * 60 * 1000

type Subject = typeof PiSdkSubjects.tool_approval
type ToolInput = Record<string, unknown>

export interface PiApprovalOptions extends Partial<AdapterIds> {
  bus: Bus
  /** The session’s id in requests; Pi’s own id by default. */
  sessionId?: string
  /** How long an answer may take; then the call is denied. Five minutes by default. */
  deadlineMs?: number
  now?(): number
}

/** An approval request, or its outcome. */
export type ApprovalEvent = EventOf<'approval_request' | 'approval_resolved'>

/** A Pi extension for `extensionFactories`, which reports the approvals that it requests. */
export interface PiApprovalExtension {
  (pi: PiExtensionApi): void
  /** Calls a listener for each request and each outcome; returns a function that stops that. */
  subscribe(listener: (event: ApprovalEvent) => void): () => void
}

type ApprovalOutcome = EventOf<'approval_resolved'>

/** What happens with a call, and how that was decided. */
interface Verdict {
  response: ResponseOf<Subject>
  outcome: ApprovalOutcome['outcome']
  by?: string
}

/**
 * Makes Pi request approval on the bus before each tool call. The tool runs only if a responder
 * allowed it. In every other case the call is denied, and the model receives the reason.
 */
export const piApprovalExtension = (options: PiApprovalOptions): PiApprovalExtension => {
  const { deadlineMs = defaultDeadlineMs, now = Date.now } = options
  const requestApproval = createBusRequest({ ...options, deadlineMs, now })
  const listeners = new Set<(event: ApprovalEvent) => void>()
  const book = createRuleBook({ projects: createMemoryProjectRules(), now })
  /** Pi may use the same extension for one session after another. */
  const rulesOf = ({ sessionManager }: PiContext) =>
    createSessionRules({
      book,
      agent: { knownCall: piKnownCall },
      sessionId: sessionManager.getSessionId(),
      cwd: sessionManager.getCwd?.() ?? process.cwd(),
      mode: 'ask',
      onError() {},
    })

  const notify = (event: ApprovalEvent) => {
    for (const listener of listeners) listener(event)
  }

  const decide = async (call: PiToolCall, context: PiContext): Promise<PiBlock | undefined> => {
    const { toolCallId, toolName, input } = call
    const args = { ...fieldsOf(jsonCopy(input)) }
    const rules = rulesOf(context)
    const approvalId = randomUUID()
    const decided = { kind: 'tool', toolName, args } as const
    const hash = approvalHash(context.sessionManager.getSessionId(), decided)
    const deadline = now() + deadlineMs
    notify({
      type: 'approval_request',
      approvalId,
      ...decided,
      toolCallId,
      deadline,
      ...defined({ hash }),
    })

    const remembered = rules.decide({ toolName, args })
    const verdict: Verdict = remembered
      ? {
          response: { action: 'allow', message: remembered.message },
          outcome: 'policy',
          by: 'rule',
        }
      : await requestApproval(call, args, context).catch(requestFailed)
    notify({ approvalId, toolCallId, ...outcomeOf(verdict) })

    const { response } = verdict
    if (response.action === 'deny') return { block: true, reason: response.message ?? 'Denied.' }
    const { updatedInput = args, remember } = response
    if (remember && rules.covers(remember.rule, { toolName, args: updatedInput }))
      rules.remember('session', remember.rule, 'bus')
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

/** Returns a function that requests approval for a call on the bus. */
const createBusRequest = (
  options: PiApprovalOptions & Required<Pick<PiApprovalOptions, 'deadlineMs' | 'now'>>,
) => {
  const { bus, deadlineMs, adapterId = 'piSdk', agentId = 'pi' } = options

  return async (call: PiToolCall, args: ToolInput, context: PiContext): Promise<Verdict> => {
    const { toolCallId, toolName } = call
    const { signal, sessionManager } = context
    const adapterSessionId = sessionManager.getSessionId()
    const request: RequestOf<typeof AgentSubjects.toolApprove> = {
      adapterId,
      adapterName: 'piSdk',
      adapterSessionId,
      agentId,
      args,
      occurredAt: options.now(),
      sessionId: options.sessionId ?? adapterSessionId,
      toolCallId,
      toolName,
    }
    const reply = await requestToolApproval(bus, PiSdkSubjects.tool_approval, request, {
      deadlineMs,
      ...(signal && { signal }),
    })
    return verdictOf(reply, signal?.aborted ?? false)
  }
}

const deny = (outcome: Verdict['outcome'], message: string): Verdict => ({
  response: { action: 'deny', message },
  outcome,
})

const requestFailed = (cause: unknown): Verdict =>
  deny('policy', `Denied: the approval request failed: ${reasonOf(cause)}`)

/** Everything but an answer is a denial, and the message gives the reason. */
const verdictOf = (reply: BusReply<ResponseOf<Subject>>, isAborted: boolean): Verdict => {
  switch (reply.outcome) {
    case 'answered':
      return { response: reply.value, outcome: 'answered' }
    case 'timed_out':
      return deny('expired', 'Denied: nobody answered in time.')
    case 'no_responder':
      return deny('policy', 'Denied: nothing on the bus responds to approval requests.')
    case 'failed':
      return requestFailed(reply.message)
    case 'closed':
      return deny('cancelled', isAborted ? 'The run was stopped.' : 'Denied: the bus is closed.')
  }
}

const outcomeOf = ({ response, outcome, by }: Verdict): Omit<ApprovalOutcome, 'approvalId'> => {
  const { action, message } = response
  const updatedInput = action === 'allow' ? response.updatedInput : undefined
  return { type: 'approval_resolved', action, outcome, ...defined({ by, message, updatedInput }) }
}

/** Pi runs the tool with this very object, so it is changed in place. */
const rewrite = (input: object, updatedInput: ToolInput) => {
  for (const key of Object.keys(input)) Reflect.deleteProperty(input, key)
  Object.assign(input, updatedInput)
}

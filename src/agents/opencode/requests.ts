import type { ApprovalQuestion, DecisionOption } from '../../events/types.ts'
import { defined, type Fields, fieldsOf, listOf, stringOf, stringsOf } from '../../shared/fields.ts'
import type { Emit } from '../emit.ts'
import type { OpenCodeTools } from './tools.ts'

/** What OpenCode waits for a person with: permissions and questions. */
export interface OpenCodeRequests {
  /** A `permission.asked` line. */
  permission(properties: Fields): void
  /** A `question.asked` line. */
  question(properties: Fields): void
  /** A line that says how a request ended. */
  answered(properties: Fields, isAllowed: boolean): void
  /** Ends the requests that are open. */
  close(outcome: 'cancelled' | 'agent_gone'): void
}

export const createOpenCodeRequests = (emit: Emit, tools: OpenCodeTools): OpenCodeRequests => {
  /** By id, the call that each request is about, and its questions. */
  const open = new Map<string, { toolCallId: string | undefined; questions: string[] }>()

  /** Undefined for a request that is repeated. */
  const request = (properties: Fields, questions: string[]) => {
    const approvalId = stringOf(properties.id) ?? ''
    if (open.has(approvalId)) return undefined
    const call = tools.find(stringOf(fieldsOf(properties.tool).callID))
    const toolCallId = call?.toolCallId
    open.set(approvalId, { toolCallId, questions })
    return { approvalId, call, ...defined({ toolCallId }) }
  }

  return {
    permission(properties) {
      const requested = request(properties, [])
      if (!requested) return
      const { call, ...fields } = requested
      const metadata = fieldsOf(properties.metadata)
      emit({
        type: 'approval_request',
        ...fields,
        kind: 'tool',
        toolName: call?.name ?? stringOf(properties.permission) ?? 'unknown',
        args: call?.hasInput ? call.input : metadata,
        options: optionsOf(properties),
      })
    },
    question(properties) {
      const questions = listOf(properties.questions).flatMap(questionOf)
      const requested = request(
        properties,
        questions.map(({ question }) => question),
      )
      if (!requested) return
      const { call, ...fields } = requested
      const toolName = call?.name
      emit({
        type: 'approval_request',
        ...fields,
        kind: 'question',
        questions,
        ...defined({ toolName }),
      })
    },
    answered({ requestID, answers }, isAllowed) {
      const approvalId = stringOf(requestID) ?? ''
      const found = open.get(approvalId)
      if (!found || !open.delete(approvalId)) return
      const { toolCallId, questions } = found
      const given = questions.map((text, at) => [text, stringsOf(listOf(answers)[at])] as const)
      emit({
        type: 'approval_resolved',
        approvalId,
        action: isAllowed ? 'allow' : 'deny',
        outcome: 'answered',
        ...defined({ toolCallId }),
        ...(isAllowed && given.length > 0 && { answers: Object.fromEntries(given) }),
      })
    },
    close(outcome) {
      for (const [approvalId, { toolCallId }] of open)
        emit({
          type: 'approval_resolved',
          ...{ approvalId, action: 'deny', outcome },
          ...defined({ toolCallId }),
        })
      open.clear()
    },
  }
}

/** `always` names the patterns that will not be asked about again. */
const optionsOf = ({ always }: Fields): DecisionOption[] => {
  const patterns = stringsOf(always)
  return [
    { id: 'once', label: 'Allow once', kind: 'allow_once' },
    ...(patterns.length === 0
      ? []
      : [
          {
            id: 'always',
            label: `Always allow ${patterns.join(', ')}`,
            kind: 'allow_always' as const,
          },
        ]),
    { id: 'reject', label: 'Reject', kind: 'reject_once' },
  ]
}

const questionOf = (value: unknown): ApprovalQuestion[] => {
  const { question, header, options, multiple } = fieldsOf(value)
  if (typeof question !== 'string') return []
  return [
    {
      question,
      ...defined({ header: stringOf(header) }),
      options: listOf(options).flatMap((option) => {
        const { label, description } = fieldsOf(option)
        if (typeof label !== 'string') return []
        return [{ label, ...defined({ description: stringOf(description) }) }]
      }),
      ...(multiple === true && { multiSelect: true }),
    },
  ]
}

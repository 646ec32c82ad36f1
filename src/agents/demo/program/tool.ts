import type { Block, ToolResultMessage } from '../../../events/types.ts'
import { fieldsOf, isFields } from '../../../shared/fields.ts'
import { pause } from './pause.ts'
import type { Stage } from './stage.ts'
import type { Call, Played, Result } from './step.ts'

/** A line of output takes as long as so many words. */
const wordsPerLine = 4

interface Ended {
  result: Result
  message: ToolResultMessage
}

/** Plays the calls of one message at once; their results join the conversation in their order. */
export const playCalls = async (
  stage: Stage,
  calls: readonly (Call & { id: string })[],
): Promise<Result[]> => {
  const ended = await Promise.all(calls.map((call) => playCall(stage, call)))
  for (const { message } of ended) stage.tell({ type: 'tool_result', message })
  return ended.map(({ result }) => result)
}

const playCall = async (stage: Stage, call: Call & { id: string }): Promise<Ended> => {
  const { tell, signal, pace } = stage
  const { id: toolCallId, name: toolName, asks } = call
  tell({ type: 'tool_call', toolCallId, toolName, input: call.input })
  const question = { kind: 'tool', toolCallId, toolName, args: call.input } as const
  const answer =
    asks === undefined
      ? { action: 'allow' as const }
      : await stage.ask({ ...question, reasoning: asks })
  const isRewritten = isFields(answer.updatedInput)
  const input = isRewritten ? fieldsOf(answer.updatedInput) : call.input
  const started = Date.now()
  tell({ type: 'tool_execution_start', toolCallId, toolName, args: input })

  const end = (played: Played, result: Result): Ended => {
    const { exitCode, isError = false, details } = played
    const shown = { content: contentOf(played), ...(details !== undefined && { details }) }
    tell({
      type: 'tool_execution_end',
      toolCallId,
      toolName,
      ...(exitCode !== undefined && { exitCode }),
      isError,
      result: shown,
      durationMs: Date.now() - started,
    })
    return { result, message: { role: 'toolResult', toolCallId, toolName, ...shown, isError } }
  }

  if (answer.action === 'deny') {
    const { message = 'Denied.' } = answer
    return end({ lines: [message], isError: true }, { outcome: 'denied', message })
  }
  const played = call.play(input)
  for (const line of played.lines) {
    await pause(pace * wordsPerLine, signal)
    tell({ type: 'tool_execution_update', toolCallId, toolName, outputDelta: `${line}\n` })
  }
  if (played.isError) return end(played, { outcome: 'failed' })
  return end(played, { outcome: isRewritten ? 'rewritten' : 'done' })
}

const contentOf = ({ lines, more = [] }: Played): Block[] => [
  { type: 'text', text: lines.join('\n') },
  ...more,
]

import type { BlobRef, StampedEvent } from '../events/types.ts'
import type { Log } from '../log/log.ts'

/** A tool that ran and did not fail. */
export interface ToolCall {
  toolName: string
  /** The arguments that it ran with. */
  input: unknown
  /** What it told about what it did; undefined where it told nothing. */
  details: unknown
  /** Whether something of it was too large and is lost. */
  isCut: boolean
}

interface Payload {
  value: unknown
  blob?: BlobRef | undefined
}

/** The calls in some events, in the order of their results. */
export async function* toolCallsOf(
  events: AsyncIterable<StampedEvent>,
  blobs: Pick<Log['blobs'], 'get'>,
): AsyncGenerator<ToolCall> {
  const inputs = new Map<string, Payload>()
  for await (const event of events) {
    if (event.type === 'tool_call')
      inputs.set(event.toolCallId, { value: event.input, blob: event.blob })
    if (event.type === 'tool_execution_start' && event.args !== undefined)
      inputs.set(event.toolCallId, { value: event.args, blob: event.blob })
    if (event.type === 'approval_resolved' && event.updatedInput !== undefined)
      inputs.set(event.toolCallId ?? '', { value: event.updatedInput })
    if (event.type !== 'tool_result') continue
    const { toolCallId, toolName, details, detailsBlob, isError } = event.message
    const input = inputs.get(toolCallId)
    inputs.delete(toolCallId)
    if (isError || !input) continue
    const whole = await wholeOf(input, blobs)
    const told = await wholeOf({ value: details, blob: detailsBlob }, blobs)
    yield {
      toolName,
      input: whole.value,
      details: told.isCut ? undefined : told.value,
      isCut: whole.isCut,
    }
  }
}

/** A payload that was taken out of its event, put back. */
const wholeOf = async (
  { value, blob }: Payload,
  blobs: Pick<Log['blobs'], 'get'>,
): Promise<{ value: unknown; isCut: boolean }> => {
  if (!blob) return { value, isCut: false }
  const found = await blobs.get(blob.hash)
  if (!found) return { value, isCut: true }
  try {
    return { value: JSON.parse(new TextDecoder().decode(found.bytes)), isCut: false }
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause
    return { value, isCut: true }
  }
}

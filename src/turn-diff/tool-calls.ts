import type { BlobRef, StampedEvent } from '../events/types.ts'
import type { Log } from '../log/log.ts'

/** A tool call that succeeded, read from the events of a turn. */
export interface ToolCall {
  toolName: string
  /** The arguments that the tool ran with. */
  input: unknown
  /** What the tool reported about its work; undefined if it reported nothing. */
  details: unknown
  /** Whether a part of the input was too large to be stored and is lost. */
  isCut: boolean
}

interface Payload {
  value: unknown
  /** Where the value is stored, if it was too large for its event. */
  blob?: BlobRef | undefined
}

/** The tool calls that succeeded, in the order of their results. */
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
    const payload = inputs.get(toolCallId)
    inputs.delete(toolCallId)
    if (isError || !payload) continue
    const input = await loadPayload(payload, blobs)
    const reported = await loadPayload({ value: details, blob: detailsBlob }, blobs)
    yield {
      toolName,
      input: input.value,
      details: reported.isCut ? undefined : reported.value,
      isCut: input.isCut,
    }
  }
}

/** The whole value of a payload, from its blob if it has one. */
const loadPayload = async (
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

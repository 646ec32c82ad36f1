interface PiLine {
  type: string
  toolCallId?: string
  assistantMessageEvent?: { delta?: string }
  partialResult?: { content: { text: string }[] }
}

interface ClaudeBlock {
  type: string
  text?: string
  thinking?: string
}

interface ClaudeLine {
  type: string
  event?: { type: string; delta?: { text?: string; thinking?: string; partial_json?: string } }
  message?: { id: string; content: ClaudeBlock[] }
}

/** Counts the characters of all deltas in an agent’s lines, with as little work as possible. */
export const createCharCount = (agent: string): ((line: string) => number) =>
  agent === 'pi' ? createPiCount() : createClaudeCount()

const createPiCount = () => {
  let tool: string | undefined
  let shown = ''

  const freshOutput = (line: PiLine): number => {
    const now = line.partialResult?.content[0]?.text ?? ''
    if (line.toolCallId !== tool) shown = ''
    tool = line.toolCallId
    const before = shown
    shown = now
    if (now.startsWith(before)) return now.length - before.length
    // The window has moved on: its start is somewhere inside the previous one.
    return now.length - (before.length - before.indexOf(now.slice(0, 200)))
  }

  return (text: string): number => {
    const line: PiLine = JSON.parse(text)
    if (line.type === 'message_update') return line.assistantMessageEvent?.delta?.length ?? 0
    return line.type === 'tool_execution_update' ? freshOutput(line) : 0
  }
}

const createClaudeCount = () => {
  let streamed = false

  const whole = (line: ClaudeLine): number => {
    const block = line.message?.content[0]
    return streamed ? 0 : (block?.text?.length ?? block?.thinking?.length ?? 0)
  }

  return (text: string): number => {
    const line: ClaudeLine = JSON.parse(text)
    if (line.type === 'assistant') return whole(line)
    const delta = line.event?.delta
    if (line.event) streamed = true
    return delta?.text?.length ?? delta?.thinking?.length ?? delta?.partial_json?.length ?? 0
  }
}

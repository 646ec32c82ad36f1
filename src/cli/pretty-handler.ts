import type { TodoItem } from '../events/types.ts'
import { consoleHandler } from '../handler/console-handler.ts'
import type { StreamHandler } from '../handler/stream-handler.ts'
import { createStyle } from '../handler/style.ts'
import { type CleanStream, createCleanStream } from './clean-stream.ts'
import { cleanText, plainLine } from './clean-text.ts'
import { collapseErrors } from './collapse-errors.ts'
import type { Terminal } from './terminal.ts'

/**
 * Prints a run for people. The text of the agent is cleaned before it is laid out, each stream on its
 * own, so a sequence that is cut between two events is found. Only the output of tools keeps colours.
 */
export const prettyHandler = (
  terminal: Pick<Terminal, 'colour'>,
  write: (text: string) => void,
): StreamHandler => {
  const isColoured = terminal.colour()
  const handler = collapseErrors(consoleHandler({ write, style: createStyle(isColoured) }))
  const text = createCleanStream(false)
  const thinking = createCleanStream(false)
  const outputs = new Map<string, CleanStream>()
  const cleanOutput = (id: string, piece: string): string => {
    const stream = outputs.get(id) ?? createCleanStream(isColoured)
    outputs.set(id, stream)
    return stream.push(piece)
  }
  const plain = (piece: string): string => cleanText(piece, { isColoured: false })

  return {
    onPrompt: (prompt) => handler.onPrompt?.(plain(prompt)),
    onText: (piece) => handler.onText(text.push(piece)),
    onThinking: (piece) => handler.onThinking?.(thinking.push(piece)),
    onMessageEnd: () => handler.onMessageEnd?.(),
    onToolCall: (name, id, input, parentId) =>
      handler.onToolCall(plainLine(name), id, input, parentId),
    onToolOutput: (id, output) => handler.onToolOutput?.(id, cleanOutput(id, output)),
    onToolResult(id, output, isError) {
      outputs.delete(id)
      handler.onToolResult(id, cleanText(output, { isColoured }), isError)
    },
    onNotice: (notice) => handler.onNotice?.(plain(notice)),
    onTodos: (todos) => handler.onTodos?.(todos.map(plainTodo)),
    onError: (error) => handler.onError(plain(error)),
    onComplete: (result) => handler.onComplete(result),
  }
}

const plainTodo = (item: TodoItem): TodoItem => ({
  ...item,
  text: plainLine(item.text),
  ...(item.activity !== undefined && { activity: plainLine(item.activity) }),
})

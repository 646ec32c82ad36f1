import type { AgentEvent } from '../../events/event.ts'
import type { Block, Message } from '../../events/message.ts'
import type { Usage } from '../../events/usage.ts'
import { createOpenMessage, type Failure, type OpenMessage } from '../open-message.ts'
import { countOf, type Fields, fieldsOf, given, isFields, listOf, textOf } from '../wire.ts'
import type { createRun } from './run.ts'
import type { createTools } from './tools.ts'
import { blockOf, largerUsage, stopReasonOf, textOfBlocks, usageOf } from './wire.ts'

/** An assistant message that may still grow. */
interface Current {
  open: OpenMessage
  nativeId: string
  model: string | undefined
  /** It came as stream events, which say when it stops. */
  streaming: boolean
  /** Kinds of the blocks that stream events began and no `assistant` line has completed. */
  streamed: Map<number, string>
  content: Block[]
  usage: Usage
  stopReason: string | undefined
  aborted: boolean
}

interface Thread {
  parent: string | undefined
  current: Current | undefined
  /** User messages that came while the assistant’s was streaming. */
  waiting: (() => void)[]
}

/**
 * Claude’s messages, by thread: the main one and one for each subagent. An `assistant` line holds
 * one block; blocks of one message share its id, and tools of earlier blocks may run in between.
 * Stream events give the same text piece by piece, before the line that completes the block.
 */
export const createMessages = (
  scope: string,
  emit: (event: AgentEvent) => void,
  run: ReturnType<typeof createRun>,
  tools: Pick<ReturnType<typeof createTools>, 'call' | 'result'>,
) => {
  const threads = new Map<string, Thread>()
  const ids = new Set<string>()
  let count = 0
  /** The main thread’s last message, until its turn is closed with it. */
  let lastOfTurn: Message | undefined

  const takeTurn = () => {
    const taken = lastOfTurn
    lastOfTurn = undefined
    return taken
  }

  const threadOf = (parent: string | undefined): Thread => {
    const key = parent ?? ''
    const known = threads.get(key)
    if (known) return known
    const thread: Thread = { parent, current: undefined, waiting: [] }
    threads.set(key, thread)
    return thread
  }

  /** The native id, or one of ours where it is missing or was used before. */
  const uniqueId = (nativeId: string | undefined): string => {
    count += 1
    const id =
      nativeId === undefined || ids.has(nativeId) ? `${nativeId ?? scope}m${count}` : nativeId
    ids.add(id)
    return id
  }

  const startMessage = (thread: Thread, id: string, model: string | undefined) =>
    emit({
      type: 'message_start',
      messageRole: 'assistant',
      messageId: id,
      ...given({ model, parentToolCallId: thread.parent }),
    })

  const begin = (thread: Thread, message: Fields, streaming: boolean): Current => {
    run.act()
    close(thread, true)
    if (thread.parent === undefined) {
      const last = takeTurn()
      run.endTurn(last?.stopReason, last?.usage)
      run.startTurn()
    }
    const id = uniqueId(textOf(message.id))
    const model = textOf(message.model)
    startMessage(thread, id, model)
    const current: Current = {
      open: createOpenMessage(id, thread.parent, emit),
      nativeId: textOf(message.id) ?? id,
      model,
      streaming,
      streamed: new Map(),
      content: [],
      usage: {},
      stopReason: undefined,
      aborted: false,
    }
    thread.current = current
    return current
  }

  const note = (current: Current, message: Fields) => {
    current.stopReason = stopReasonOf(message.stop_reason) ?? current.stopReason
    current.usage = largerUsage(current.usage, usageOf(message.usage))
    if (Object.keys(current.usage).length > 0) current.open.usage(current.usage)
  }

  const placeOf = (current: Current, type: string): number => {
    for (const [index, kind] of current.streamed) if (kind === type) return index
    let index = current.content.length
    while (current.open.has(index)) index += 1
    return index
  }

  const addBlock = (thread: Thread, current: Current, block: Fields) => {
    const type = textOf(block.type) ?? 'unknown'
    const index = placeOf(current, type)
    const added = blockOf(block)
    current.streamed.delete(index)
    current.content[index] = added
    if (added.type === 'text') current.open.complete(index, 'text', textOf(added.text) ?? '')
    else if (added.type === 'thinking' && !added.redacted)
      current.open.complete(index, 'thinking', textOf(added.thinking) ?? '')
    else if (added.type === 'toolCall') {
      const id = textOf(block.id) ?? ''
      const name = textOf(block.name) ?? ''
      current.open.endTool(index, id, name, block.input ?? {})
      tools.call(id, name, block.input ?? {}, thread.parent)
    } else if (type.endsWith('_tool_result')) tools.result(block, undefined, thread.parent)
  }

  /** Ends the message in flight. When `replaced`, another took its place: what had not been completed is void. */
  const close = (thread: Thread, replaced = false) => {
    const { current } = thread
    thread.current = undefined
    if (current) finish(thread, current, replaced ? Math.min(...current.streamed.keys()) : Infinity)
    for (const say of thread.waiting.splice(0)) say()
  }

  /** `voidFrom`: the first block that the agent gave up. */
  const finish = (thread: Thread, current: Current, voidFrom: number) => {
    const streamed = current.open.content()
    const abandoned = streamed.length > voidFrom
    for (const index of current.streamed.keys())
      if (index < voidFrom) current.content[index] = streamed[index] ?? { type: 'text', text: '' }
    const content = current.content.filter((block, index) => block && index < voidFrom)
    const failure = failureOf(current, abandoned)
    const message: Message = {
      role: 'assistant',
      content,
      ...given({
        model: current.model,
        usage: finalUsage(current),
        stopReason: failure?.reason ?? current.stopReason ?? impliedStop(content),
        nativeId: current.nativeId,
      }),
    }
    current.open.finish(message, failure)
    if (abandoned) withdraw(thread, current.open.id, voidFrom)
    if (thread.parent === undefined) lastOfTurn = message
  }

  const withdraw = (thread: Thread, messageId: string, from: number) =>
    emit({
      type: 'message_withdrawn',
      messageId,
      reason: 'abandoned',
      ...(from > 0 && { fromContentIndex: from }),
      ...given({ parentToolCallId: thread.parent }),
    })

  /** Words of the program itself: an API error, or the output of a local command. */
  const synthetic = (thread: Thread, line: Fields, message: Fields) => {
    run.act()
    close(thread, true)
    const content = listOf(message.content).filter(isFields).map(blockOf)
    const text = textOfBlocks(content)
    const isError = line.error !== undefined || line.is_api_error_message === true
    const id = uniqueId(textOf(message.id))
    startMessage(thread, id, undefined)
    const open = createOpenMessage(id, thread.parent, emit)
    const failure = isError ? { reason: 'error', errorMessage: text } : undefined
    open.finish(
      {
        role: 'assistant',
        content: isError ? [] : content,
        stopReason: isError ? 'error' : 'stop',
        synthetic: true,
        ...given({ errorMessage: isError ? text : undefined, nativeId: textOf(message.id) }),
      },
      failure,
    )
  }

  const user = (thread: Thread, line: Fields, content: Block[]) => {
    const say = () => {
      run.act()
      const messageId = uniqueId(textOf(line.uuid))
      const parent = given({ parentToolCallId: thread.parent })
      emit({ type: 'message_start', messageRole: 'user', messageId, ...parent })
      emit({
        type: 'message_end',
        messageId,
        message: {
          role: 'user',
          content,
          ...(line.isSynthetic === true && { synthetic: true }),
          ...(line.isReplay === true && { replay: true }),
        },
        ...parent,
      })
    }
    if (thread.current?.streaming) thread.waiting.push(say)
    else {
      close(thread)
      say()
    }
  }

  return {
    assistant(line: Fields) {
      const thread = threadOf(textOf(line.parent_tool_use_id))
      const message = fieldsOf(line.message)
      if (message.model === '<synthetic>') return synthetic(thread, line, message)
      const id = textOf(message.id)
      const same = thread.current && (id === undefined || thread.current.nativeId === id)
      const current = same && thread.current ? thread.current : begin(thread, message, false)
      for (const block of listOf(message.content)) addBlock(thread, current, fieldsOf(block))
      if (line.aborted === true) current.aborted = true
      note(current, { usage: line.usage, ...message })
    },
    user(line: Fields, content: Block[]) {
      user(threadOf(textOf(line.parent_tool_use_id)), line, content)
    },
    stream(line: Fields) {
      const thread = threadOf(textOf(line.parent_tool_use_id))
      stream(thread, line, fieldsOf(line.event))
    },
    takeTurn,
    closeThread(parent: string | undefined) {
      const thread = threads.get(parent ?? '')
      if (thread) close(thread)
    },
    /** The stream ended, or the run was cut: what is in flight stays as far as it came. */
    close(reason?: 'aborted') {
      for (const thread of threads.values()) {
        if (thread.current && reason) thread.current.aborted = true
        if (thread.current && !reason) thread.current.stopReason ??= 'interrupted'
        close(thread)
      }
    },
    isStreaming: () => threads.get('')?.current !== undefined,
  }

  function stream(thread: Thread, line: Fields, event: Fields) {
    if (event.type === 'message_start') {
      const message = fieldsOf(event.message)
      note(begin(thread, message, true), message)
      return
    }
    // A delta without its start: an older note shows them bare, at the top level.
    const current = thread.current ?? (event.type === 'content_block_delta' ? begin(thread, {}, true) : undefined)
    if (!current) return
    const index = countOf(event.index) ?? 0
    switch (event.type) {
      case 'content_block_delta':
        return grow(current, index, fieldsOf(event.delta))
      case 'content_block_start':
        return startBlock(current, index, fieldsOf(event.content_block))
      case 'content_block_stop':
        return current.streamed.has(index) ? undefined : current.open.end(index)
      case 'message_delta':
        return note(current, { stop_reason: fieldsOf(event.delta).stop_reason, usage: event.usage })
      case 'message_stop':
        return stop(thread, current, fieldsOf(line.abandoned_blocks))
    }
  }

  function stop(thread: Thread, current: Current, given: Fields) {
    const from = countOf(given.from_block_index)
    // Without a stop reason nothing vouches for blocks that no line has completed.
    const unfinished = current.stopReason === undefined ? Math.min(...current.streamed.keys()) : Infinity
    thread.current = undefined
    finish(thread, current, from ?? unfinished)
    for (const say of thread.waiting.splice(0)) say()
  }
}

const startBlock = (current: Current, index: number, block: Fields) => {
  const type = textOf(block.type) ?? 'unknown'
  current.streamed.set(index, type)
  if (type === 'text' || type === 'thinking') current.open.start(index, type)
  else if (type === 'tool_use' || type === 'server_tool_use')
    current.open.startTool(index, textOf(block.id) ?? '', textOf(block.name) ?? '')
}

const grow = (current: Current, index: number, delta: Fields) => {
  switch (delta.type) {
    case 'text_delta':
      return current.open.delta(index, 'text', textOf(delta.text) ?? '')
    case 'thinking_delta':
      return current.open.delta(index, 'thinking', textOf(delta.thinking) ?? '')
    case 'input_json_delta':
      return current.open.toolDelta(index, textOf(delta.partial_json) ?? '')
  }
}

/** Only with its stop reason does a message tell its final output. */
const finalUsage = ({ usage, stopReason }: Current): Usage | undefined => {
  if (Object.keys(usage).length === 0) return undefined
  const isFinal = stopReason !== undefined && stopReason !== 'interrupted'
  return isFinal ? usage : { ...usage, estimated: true }
}

const failureOf = (current: Current, abandoned: boolean): Failure | undefined => {
  if (current.aborted) return { reason: 'aborted' }
  if (current.stopReason === 'interrupted') return { reason: 'interrupted' }
  return abandoned ? { reason: 'abandoned' } : undefined
}

/** Claude leaves the reason out of most lines; a call for a tool is one all the same. */
const impliedStop = (content: readonly Block[]): string | undefined =>
  content.some((block) => block.type === 'toolCall') ? 'toolUse' : undefined

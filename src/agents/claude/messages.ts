import type { Block, Message } from '../../events/types.ts'
import {
  countOf,
  defined,
  type Fields,
  fieldsOf,
  isFields,
  listOf,
  stringOf,
} from '../../shared/fields.ts'
import { type Emit, inside } from '../emit.ts'
import { createOpenMessage } from '../open-message.ts'
import { type Current, createCurrent } from './current.ts'
import type { createRun } from './run.ts'
import type { createTools } from './tools.ts'
import { blockOf, textOfBlocks } from './wire.ts'

interface Thread {
  parent: string | undefined
  /** Says whose events they are. */
  emit: Emit
  current: Current | undefined
  /** User messages that came while the assistant’s was streaming. */
  waiting: (() => void)[]
}

/**
 * Claude’s messages, by thread: the main one and one for each subagent. Blocks of one message
 * share its id, and tools of earlier blocks may run in between, so a message is over only when
 * another begins, its stream stops, or its turn ends.
 */
export const createMessages = (
  scope: string,
  emit: Emit,
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

  const threadOf = (line: Fields): Thread => {
    const parent = stringOf(line.parent_tool_use_id)
    const known = threads.get(parent ?? '')
    if (known) return known
    const thread: Thread = { parent, emit: inside(emit, parent), current: undefined, waiting: [] }
    threads.set(parent ?? '', thread)
    return thread
  }

  /** The native id, or one of ours where it is missing or was used before. */
  const uniqueId = (nativeId: string | undefined): string => {
    count += 1
    const isFree = nativeId !== undefined && !ids.has(nativeId)
    const id = isFree ? nativeId : `${nativeId ?? scope}m${count}`
    ids.add(id)
    return id
  }

  const startMessage = (thread: Thread, messageId: string, model: string | undefined) =>
    thread.emit({
      type: 'message_start',
      messageRole: 'assistant',
      messageId,
      ...(model !== undefined && { model }),
    })

  const begin = (thread: Thread, message: Fields, streaming: boolean): Current => {
    run.act()
    replace(thread)
    if (thread.parent === undefined) {
      const last = takeTurn()
      run.endTurn(last?.stopReason, last?.usage)
      run.startTurn()
    }
    const id = uniqueId(stringOf(message.id))
    const model = stringOf(message.model)
    startMessage(thread, id, model)
    const nativeId = stringOf(message.id) ?? id
    const current = createCurrent({ id, nativeId, model, streaming }, thread.emit)
    thread.current = current
    return current
  }

  const finish = (thread: Thread, voidFrom: number) => {
    const { current } = thread
    thread.current = undefined
    if (current) {
      const message = current.finish(voidFrom)
      if (thread.parent === undefined) lastOfTurn = message
    }
    for (const say of thread.waiting.splice(0)) say()
  }

  const close = (thread: Thread) => finish(thread, Infinity)

  /** Another message takes its place: what had streamed and was never completed is void. */
  const replace = (thread: Thread) => finish(thread, thread.current?.unfinished() ?? Infinity)

  const addBlock = (thread: Thread, current: Current, block: Fields) => {
    const type = stringOf(block.type) ?? 'unknown'
    current.add(block)
    if (type === 'tool_use' || type === 'server_tool_use')
      tools.call(
        stringOf(block.id) ?? '',
        stringOf(block.name) ?? '',
        block.input ?? {},
        thread.parent,
      )
    else if (type.endsWith('_tool_result')) tools.result(block, undefined, thread.parent)
  }

  /** Words of the program itself: an API error, or the output of a local command. */
  const synthetic = (thread: Thread, line: Fields, message: Fields) => {
    run.act()
    replace(thread)
    const content = listOf(message.content).filter(isFields).map(blockOf)
    const text = textOfBlocks(content)
    const isError = line.error !== undefined || line.is_api_error_message === true
    const id = uniqueId(stringOf(message.id))
    startMessage(thread, id, undefined)
    createOpenMessage(id, thread.emit).finish(
      {
        role: 'assistant',
        content: isError ? [] : content,
        stopReason: isError ? 'error' : 'stop',
        synthetic: true,
        ...defined({ errorMessage: isError ? text : undefined, nativeId: stringOf(message.id) }),
      },
      isError ? { reason: 'error', errorMessage: text } : undefined,
    )
  }

  const user = (thread: Thread, line: Fields, content: Block[]) => {
    run.act()
    const messageId = uniqueId(stringOf(line.uuid))
    thread.emit({ type: 'message_start', messageRole: 'user', messageId })
    thread.emit({
      type: 'message_end',
      messageId,
      message: {
        role: 'user',
        content,
        ...(line.isSynthetic === true && { synthetic: true }),
        ...(line.isReplay === true && { replay: true }),
      },
    })
  }

  const stop = (thread: Thread, current: Current, abandoned: Fields) => {
    // Without a stop reason nothing vouches for blocks that no line has completed.
    const unfinished = current.hasStopped() ? Infinity : current.unfinished()
    finish(thread, countOf(abandoned.from_block_index) ?? unfinished)
  }

  const step = (thread: Thread, current: Current, line: Fields, event: Fields) => {
    const index = countOf(event.index) ?? 0
    switch (event.type) {
      case 'content_block_delta':
        return current.grow(index, event.delta)
      case 'content_block_start':
        return current.begin(index, fieldsOf(event.content_block))
      case 'content_block_stop':
        return current.stopBlock(index)
      case 'message_delta':
        return current.note({ stop_reason: fieldsOf(event.delta).stop_reason, usage: event.usage })
      case 'message_stop':
        return stop(thread, current, fieldsOf(line.abandoned_blocks))
    }
  }

  return {
    assistant(line: Fields) {
      const thread = threadOf(line)
      const message = fieldsOf(line.message)
      if (message.model === '<synthetic>') return synthetic(thread, line, message)
      const id = stringOf(message.id)
      const isSame = id === undefined || thread.current?.nativeId === id
      const current = (isSame && thread.current) || begin(thread, message, false)
      for (const block of listOf(message.content)) addBlock(thread, current, fieldsOf(block))
      if (line.aborted === true) current.abort()
      current.note({ usage: line.usage, ...message })
    },
    user(line: Fields, content: Block[]) {
      const thread = threadOf(line)
      if (thread.current?.streaming) thread.waiting.push(() => user(thread, line, content))
      else {
        close(thread)
        user(thread, line, content)
      }
    },
    /** One stream event: a message piece by piece. */
    stream(line: Fields) {
      const thread = threadOf(line)
      const event = fieldsOf(line.event)
      if (event.type === 'message_start') {
        const message = fieldsOf(event.message)
        return begin(thread, message, true).note(message)
      }
      // An older note of the format shows deltas bare, without their start.
      const isBare = event.type === 'content_block_delta' && !thread.current
      const current = isBare ? begin(thread, {}, true) : thread.current
      if (current) step(thread, current, line, event)
    },
    takeTurn,
    closeThread(parent: string | undefined) {
      const thread = threads.get(parent ?? '')
      if (thread) close(thread)
    },
    /** A person stopped what is in flight on the main thread. */
    abort() {
      threads.get('')?.current?.abort()
    },
    /** Nothing more comes: what is in flight stays as far as it came. */
    close() {
      for (const thread of threads.values()) {
        thread.current?.interrupt()
        close(thread)
      }
    },
  }
}

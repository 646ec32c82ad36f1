import type { Block } from '../../events/types.ts'
import { type Fields, fieldsOf, stringOf } from '../../shared/fields.ts'
import type { OpenMessage } from '../open-message.ts'
import { blockOf } from './wire.ts'

/** The blocks of a draft. A block arrives whole, or first in deltas and then whole. */
export interface DraftBlocks {
  /** Adds a whole block; its text is emitted only once. */
  add(block: Fields): void
  /** Starts a block that arrives in deltas. */
  begin(index: number, block: Fields): void
  /** Appends a delta. */
  grow(index: number, delta: unknown): void
  /** The deltas of a block are over. It ends here, unless the whole block follows. */
  stop(index: number): void
  /** The first block that arrived in deltas and not yet whole; `Infinity` if there is none. */
  firstUnfinished(): number
  /** The content before `voidFrom`, and whether a block after it was abandoned. */
  contentBefore(voidFrom: number): { content: Block[]; isAbandoned: boolean }
}

export const createDraftBlocks = (open: OpenMessage): DraftBlocks => {
  /** Types of the blocks that have begun in deltas and that no whole block has completed. */
  const begun = new Map<number, string>()
  const content: Block[] = []

  const positionOf = (type: string): number => {
    for (const [index, each] of begun) if (each === type) return index
    let index = content.length
    while (open.has(index)) index += 1
    return index
  }

  return {
    add(block) {
      const index = positionOf(stringOf(block.type) ?? 'unknown')
      const added = blockOf(block)
      begun.delete(index)
      content[index] = added
      if (added.type === 'text') open.complete(index, 'text', stringOf(added.text) ?? '')
      else if (added.type === 'thinking' && !added.redacted)
        open.complete(index, 'thinking', stringOf(added.thinking) ?? '')
      else if (added.type === 'toolCall')
        open.endTool(index, stringOf(block.id) ?? '', stringOf(block.name) ?? '', block.input ?? {})
    },
    begin(index, block) {
      const type = stringOf(block.type) ?? 'unknown'
      begun.set(index, type)
      if (type === 'text' || type === 'thinking') open.start(index, type)
      else if (type === 'tool_use' || type === 'server_tool_use')
        open.startTool(index, stringOf(block.id) ?? '', stringOf(block.name) ?? '')
    },
    grow(index, value) {
      const delta = fieldsOf(value)
      if (!open.has(index)) begun.set(index, delta.type === 'thinking_delta' ? 'thinking' : 'text')
      if (delta.type === 'text_delta') open.delta(index, 'text', stringOf(delta.text) ?? '')
      else if (delta.type === 'thinking_delta')
        open.delta(index, 'thinking', stringOf(delta.thinking) ?? '')
      else if (delta.type === 'input_json_delta')
        open.toolDelta(index, stringOf(delta.partial_json) ?? '')
    },
    stop(index) {
      if (!begun.has(index)) open.end(index)
    },
    firstUnfinished: () => Math.min(Infinity, ...begun.keys()),
    contentBefore(voidFrom) {
      if (begun.size === 0 && voidFrom === Infinity) return { content, isAbandoned: false }
      const streamed = open.content()
      for (const index of begun.keys())
        if (index < voidFrom) content[index] = streamed[index] ?? { type: 'text', text: '' }
      return {
        content: content.filter((block, index) => block && index < voidFrom),
        isAbandoned: streamed.length > voidFrom,
      }
    },
  }
}

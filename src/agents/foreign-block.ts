import type { Block } from '../events/types.ts'
import { type Fields, stringOf } from '../shared/fields.ts'

/**
 * A block of an agent that none of ours describes, as it is. One that only has the name of a block of
 * ours gets another name: readers rely on the fields that belong to the name.
 */
export const foreignBlock = (block: Fields): Block => {
  const type = stringOf(block.type) ?? 'unknown'
  return { ...block, type: ownNames.has(type) ? `other_${type}` : type }
}

const ownNames: ReadonlySet<string> = new Set(['text', 'thinking', 'toolCall', 'image'])

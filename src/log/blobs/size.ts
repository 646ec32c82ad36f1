import type { Block } from '../../events/types.ts'
import { base64FieldIn } from './base64.ts'

/**
 * About how many bytes a value has as JSON, without serialising it. Base64 counts as decoded. It
 * stops counting above the limit.
 */
export const jsonSize = (value: unknown, limit = Number.POSITIVE_INFINITY): number => {
  let size = 0
  const stack = [value] // not recursive: a line may be nested deeper than the call stack
  while (stack.length > 0 && size <= limit) {
    const part = stack.pop()
    if (typeof part === 'string') size += Buffer.byteLength(part)
    else if (typeof part !== 'object' || part === null) size += 4
    else size += pushParts(part, stack, limit)
  }
  return size
}

/** Pushes the parts of an object onto the stack, and returns the size of what surrounds them. */
const pushParts = (value: object, stack: unknown[], limit: number): number => {
  const encoded = base64FieldIn(value)
  let size = 2
  // Not `Object.entries`: for an object with very many keys, that takes ten times as long.
  for (const key of Object.keys(value)) {
    size += key.length + 4
    if (size > limit) return size
    if (key === encoded?.field) size += decodedSize(encoded.data)
    else stack.push(Reflect.get(value, key))
  }
  return size
}

/** The size of blocks in bytes: only the content of texts and images, all of other blocks. */
export const contentSize = (content: readonly Block[]): number =>
  content.reduce((size, block) => size + blockSize(block), 0)

const blockSize = (block: Block): number => {
  if (block.type === 'text' && typeof block.text === 'string') return Buffer.byteLength(block.text)
  if (block.type === 'image' && typeof block.data === 'string') return decodedSize(block.data)
  return jsonSize(block)
}

const decodedSize = (base64: string): number => Buffer.byteLength(base64, 'base64')

import type { Block } from '../../events/types.ts'
import { base64FieldIn } from './base64.ts'

/** About how many bytes a value takes as JSON, without making it; base64 counts as its bytes. */
export const jsonSize = (value: unknown): number => {
  let size = 0
  const open = [value] // no recursion: a line may be nested deeper than calls can go
  while (open.length > 0) {
    const each = open.pop()
    if (typeof each === 'string') size += Buffer.byteLength(each)
    else if (typeof each !== 'object' || each === null) size += 4
    else size += openUp(each, open)
  }
  return size
}

/** What holds the parts of an object together; the parts themselves are put on the pile. */
const openUp = (value: object, open: unknown[]): number => {
  const encoded = base64FieldIn(value)
  let size = 2
  for (const [key, part] of Object.entries(value)) {
    size += key.length + 4
    if (key === encoded?.field) size += decodedSize(encoded.data)
    else open.push(part)
  }
  return size
}

/** How much the blocks hold: of texts and images just what they say and show. */
export const contentSize = (content: readonly Block[]): number =>
  content.reduce((size, block) => size + blockSize(block), 0)

const blockSize = (block: Block): number => {
  if (block.type === 'text' && typeof block.text === 'string') return Buffer.byteLength(block.text)
  if (block.type === 'image' && typeof block.data === 'string') return decodedSize(block.data)
  return jsonSize(block)
}

const decodedSize = (base64: string): number => Buffer.byteLength(base64, 'base64')

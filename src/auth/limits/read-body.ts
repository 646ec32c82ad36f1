import { Problem } from '../../shared/problem.ts'

export interface ReadBodyOptions {
  /** The most bytes that are read. */
  limit: number
  /** The `Content-Length` header. */
  length?: string | null | undefined
  /** Called with the size so far, for each chunk; may throw to stop reading. */
  onSize?(size: number): void
}

/** Reads a body to its end, but not beyond the limit. Throws a `Problem` 413. */
export const readBody = async (
  chunks: AsyncIterable<Uint8Array> | null,
  { limit, length, onSize }: ReadBodyOptions,
): Promise<Uint8Array> => {
  if (Number(length ?? 0) > limit) throw tooLarge(limit)
  const parts: Uint8Array[] = []
  let size = 0
  // Not `for await`: leaving it early would close the connection before the 413 is sent.
  const iterator = chunks?.[Symbol.asyncIterator]()
  for (;;) {
    const next = await iterator?.next()
    if (!next || next.done === true) break
    size += next.value.byteLength
    if (size > limit) throw tooLarge(limit)
    onSize?.(size)
    parts.push(next.value)
  }
  return Buffer.concat(parts)
}

const tooLarge = (limit: number): Problem =>
  new Problem(413, 'too_large', `The body is larger than ${limit} bytes, the limit of this path.`, {
    limit,
  })

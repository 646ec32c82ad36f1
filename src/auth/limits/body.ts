import { Problem } from '../../shared/problem.ts'

export interface BodyOptions {
  /** Most bytes. */
  limit: number
  /** The `Content-Length` header, where there is one. */
  length?: string | null | undefined
  /** Told how large it has become; may throw. */
  onSize?(size: number): void
}

/** Reads a body to its end, and no further than the limit. Throws a `Problem` 413. */
export const readBody = async (
  chunks: AsyncIterable<Uint8Array> | null,
  { limit, length, onSize }: BodyOptions,
): Promise<Uint8Array> => {
  if (Number(length ?? 0) > limit) throw tooLarge(limit)
  const parts: Uint8Array[] = []
  let size = 0
  // By hand: leaving a `for await` would cut the connection that the refusal has to go over.
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
  new Problem(413, 'too_large', `A body may have ${limit} bytes at most.`, { limit })

/** Some frames that follow one another, as bytes that all readers share. */
export interface Chunk {
  /** The seq of the first frame. */
  readonly first: number
  readonly last: number
  /** Which page it lies on: a number that no other page has. */
  readonly page: number
  readonly bytes: Buffer
  /** What stands before it on its page, as far back as a compressor looks. */
  readonly before: Buffer
  /** How many bytes of the session have passed with it; not counted of what the log gave. */
  readonly passed: number | undefined
  /** What some readers want instead of the bytes, made once for all of them. */
  plain?: Buffer
  deflated?: Buffer
  deflatedAlone?: Buffer
}

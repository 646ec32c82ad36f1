/** Bytes that are sent to many, each time as a whole. */
export interface SharedBuffer {
  readonly bytes: Buffer
  /** What some readers want instead of the bytes, made once for all of them. */
  deflated?: Buffer
  /** While that is being made. */
  deflating?: Promise<void>
}

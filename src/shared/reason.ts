/** The message of a thrown value, which need not be an Error. */
export const reasonOf = (cause: unknown): string =>
  cause instanceof Error ? cause.message : String(cause)

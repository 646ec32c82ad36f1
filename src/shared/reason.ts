/** What went wrong, in words: whatever it was that was thrown. */
export const reasonOf = (cause: unknown): string =>
  cause instanceof Error ? cause.message : String(cause)

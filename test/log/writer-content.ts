/** The text of an event that the writer stores: of varying length, computed from the seq alone. */
export const contentOf = (sessionId: string, seq: number): string =>
  `${sessionId} ${seq} `.repeat(1 + ((seq * 7919) % (seq % 50 === 0 ? 5000 : 60)))

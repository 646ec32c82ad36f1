/** The text that the writer stores as an event’s: of any length, and known from its place alone. */
export const contentOf = (sessionId: string, seq: number): string =>
  `${sessionId} ${seq} `.repeat(1 + ((seq * 7919) % (seq % 50 === 0 ? 5000 : 60)))

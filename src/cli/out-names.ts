/** The values of `--out`. */
export const outNames = ['pretty', 'text', 'events', 'summary'] as const
export type OutName = (typeof outNames)[number]

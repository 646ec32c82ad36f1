/** Local time: 2026-01-31 09:05. */
export const localMinute = (time: number): string =>
  new Date(time).toLocaleString('sv-SE', { dateStyle: 'short', timeStyle: 'short' })

/** The day of a moment in the time zone of this machine, such as `2026-11-16`. */
export const dayOf = (at: number): string => {
  const date = new Date(at)
  const parts = [date.getMonth() + 1, date.getDate()].map((part) => `${part}`.padStart(2, '0'))
  return [date.getFullYear(), ...parts].join('-')
}

/** When the day of a moment began in the time zone of this machine, in ms since 1970. */
export const startOfDay = (at: number): number => {
  const date = new Date(at)
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime()
}

/** How long it is until the next day begins in the time zone of this machine, in ms. */
export const msUntilNextDay = (at: number): number => {
  const date = new Date(at)
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + 1).getTime() - at
}

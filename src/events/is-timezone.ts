/** Whether this system knows a time zone, such as `Europe/Berlin` or `UTC`. */
export function isTimezone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined
  } catch {
    return false
  }
}

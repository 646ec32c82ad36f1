/** How long after a report no other one is made. */
const quietMs = 60_000

/** Wraps a report that somebody else can cause as often as they like: at most one a minute is made. */
export const rarely = <Value>(
  report: (value: Value) => void,
  now: () => number = () => performance.now(),
): ((value: Value) => void) => {
  let quietUntil = Number.NEGATIVE_INFINITY
  return (value) => {
    if (now() < quietUntil) return
    quietUntil = now() + quietMs
    report(value)
  }
}

/** One thing that `sluice doctor` has looked at. */
export interface Finding {
  /** What was looked at, as a stable name for programs. */
  check: string
  /**
   * `problem`: something does not work. `warning`: it works, and something is not as it should be.
   * `absent`: it is not there, and need not be.
   */
  status: 'ok' | 'absent' | 'warning' | 'problem'
  /** What was found, for people. */
  message: string
  /** What to do about it. */
  advice?: string
  /** More, for programs. */
  details?: object
}

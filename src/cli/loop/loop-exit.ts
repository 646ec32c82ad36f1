import type { LoopEndReason, LoopInfo } from '../../events/types.ts'

/** The exit code of `sluice loop` by the reason why the loop ended: see docs/loop.md. */
const codes: Readonly<Record<LoopEndReason, number>> = {
  promise: 0,
  failed: 1,
  max_iterations: 3,
  max_duration: 4,
  max_cost: 5,
  max_tokens: 6,
  max_failures: 7,
  max_stale: 8,
  budget: 9,
  stopped: 11,
}

/** A loop that was paused can be resumed. */
const pausedCode = 10

export const loopExitCode = ({ end }: LoopInfo): number => (end ? codes[end.reason] : pausedCode)

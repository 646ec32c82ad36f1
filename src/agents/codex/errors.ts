import type { Emit } from '../emit.ts'
import { providerError } from '../provider-error.ts'

/**
 * An error of Codex may end the run, and may not: only what follows says which. Each fatal one is
 * printed twice, on its own and with the end of the run.
 */
export interface ErrorTracker {
  /** An error was printed. */
  add(message: string): void
  /** The run goes on, so the error was not fatal: shows it as a notice. */
  wentOn(): void
  /** The run failed. Returns why, in words for people. */
  failed(message: string | undefined): string
  /** The last error, if nothing followed it. */
  pending(): string | undefined
}

export const createErrorTracker = (emit: Emit): ErrorTracker => {
  let held: string | undefined

  const plain = (message: string): string => providerError(message.trim()).errorMessage

  return {
    add(message) {
      this.wentOn()
      held = message
    },
    wentOn() {
      if (held === undefined) return
      const text = plain(held)
      held = undefined
      emit({ type: 'session_update', notice: { level: 'error', text } })
    },
    failed(message) {
      const reason = message ?? held
      if (held === reason) held = undefined
      else this.wentOn()
      return reason === undefined ? 'Codex reports no reason.' : plain(reason)
    },
    pending: () => (held === undefined ? undefined : plain(held)),
  }
}

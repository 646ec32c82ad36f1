import type { Usage } from '../../events/types.ts'
import { defined } from '../../shared/fields.ts'
import type { Emit } from '../emit.ts'

/** A compaction: a step of the model whose text is the summary, not an answer. */
export interface OpenCodeCompaction {
  /** A compaction begins, unless one is open. */
  start(reason: string | undefined): void
  /** Whether the next message is the summary. */
  isOpen(): boolean
  end(result: { summary?: string; usage?: Usage | undefined; errorMessage?: string }): void
  /** The run is over: a compaction that is open was stopped. */
  close(): void
}

export const createOpenCodeCompaction = (emit: Emit): OpenCodeCompaction => {
  let open: { reason: string | undefined } | undefined
  return {
    start(reason) {
      if (open) return
      open = { reason }
      emit({ type: 'compaction_start', ...defined({ reason }) })
    },
    isOpen: () => open !== undefined,
    end({ summary, usage, errorMessage }) {
      if (!open) return
      const { reason } = open
      open = undefined
      emit({ type: 'compaction_end', ...defined({ reason, summary, usage, errorMessage }) })
    },
    close() {
      if (open) emit({ type: 'compaction_end', aborted: true })
      open = undefined
    },
  }
}

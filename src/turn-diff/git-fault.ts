import type { TurnDiffReason } from '../api/types.ts'

/** Why git could not tell what changed. */
export class GitFault extends Error {
  readonly reason: TurnDiffReason
  constructor(reason: TurnDiffReason, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'GitFault'
    this.reason = reason
  }
}

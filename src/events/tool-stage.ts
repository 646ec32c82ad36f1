import type { ToolResultEvent } from './types.ts'

/**
 * How far a call has come. `interrupted`: its result says that it was interrupted. The agent can still
 * report what the call returned.
 */
export type ToolStage = 'called' | 'started' | 'ended' | 'interrupted' | 'reported'

/** The stage of a call after its result. */
export const stageAfterResult = ({ message }: ToolResultEvent): ToolStage =>
  message.interrupted ? 'interrupted' : 'reported'

/** Whether a call has its result. */
export const isReported = (stage: ToolStage | undefined): boolean =>
  stage === 'interrupted' || stage === 'reported'

/** Whether a call has ended. Its result may still be to come. */
export const isCallOver = (stage: ToolStage | undefined): boolean =>
  stage === 'ended' || isReported(stage)

import type {
  Actor,
  LoopLimits,
  LoopSchedule,
  OnExceeded,
  StampedEvent,
  StartOptions,
} from '../../events/types.ts'
import type { Log } from '../../log/log.ts'
import type { LoopRecord, LoopRunner } from '../../log/types.ts'
import type { SenderOptions } from '../../session/conversation/session.ts'
import type { Ownership } from '../../session/registry/ownership.ts'
import type { Sessions } from '../../session/registry/sessions.ts'

/**
 * Loops: each lets an agent work on the same prompt again and again, in a new session each time, until
 * the agent prints the promise or a limit is met.
 */
export interface Loops {
  /** Creates a loop and starts its first iteration. Throws a `usage` or `file_not_readable` fault. */
  create(options: CreateLoopOptions): Promise<LoopRecord>
  /** The loop with this id as it is now; undefined if there is none. */
  get(id: string): Promise<LoopRecord | undefined>
  /** All loops, newest first. */
  list(): Promise<LoopRecord[]>
  /** Changes a loop. Limits hold at once, a prompt from the next iteration on. */
  change(id: string, change: ChangeLoopOptions): Promise<LoopRecord>
  /** Pauses a loop after its iteration, or with `abort` at once. */
  pause(id: string, options?: SenderOptions & { abort?: boolean | undefined }): Promise<LoopRecord>
  /**
   * Continues a loop that is paused, that a crash interrupted, or that is done. Throws a `usage` fault
   * if a limit is still met.
   */
  resume(id: string, options?: SenderOptions): Promise<LoopRecord>
  /** Stops the iteration and ends the loop. */
  stop(id: string, options?: SenderOptions): Promise<LoopRecord>
  /** Resolves when a loop is paused or done, or when the loops are closed. */
  settled(id: string): Promise<LoopRecord | undefined>
  /** Called with each event of all sessions, once it is stored. */
  onEvent(event: StampedEvent): void
  /** Resumes the loops that this kind of program was running when it ended. */
  resumeOwn(): Promise<void>
  /** Ends all loops of this node without storing that: another node continues them. */
  abandon(): Promise<void>
  /** Continues a loop whose node is lost, if its directory is here. Does nothing for another id. */
  adopt(id: string): Promise<void>
  /**
   * Starts no more iterations. Resolves when those that run are over. A server resumes the loops at its
   * next start.
   */
  finish(): Promise<void>
  /** Starts nothing new. Resolves when the iterations are over: end their sessions meanwhile. */
  close(): Promise<void>
}

/** Loops belong to nodes as sessions do. */
export type LoopOwnership = Pick<
  Ownership,
  'claim' | 'release' | 'isElsewhere' | 'wasHere' | 'holds'
>

export interface LoopsOptions {
  log: Log
  sessions: Pick<Sessions, 'create' | 'get'> & Partial<Pick<Sessions, 'checkStart'>>
  runner: LoopRunner
  /** The data directory. No loop may work in it, or in a directory that contains it. */
  data?: string | undefined
  /** How many loops there may be that are not done. */
  maxOpen?: number | undefined
  now(): number
  /** Called when a loop was created or changed. */
  onLoop?(loop: LoopRecord): void
  onError(cause: unknown): void
  /** Why the creator of a loop may start no more sessions; undefined if it may. */
  refusalFor?(creatorId: string): Promise<string | undefined>
  /** Which node runs a loop, where several nodes share the log. */
  ownership?: LoopOwnership | undefined
  /** What the audit calls this program. */
  defaultActor?: Actor | undefined
}

export interface CreateLoopOptions extends SenderOptions {
  /** Default: a random one. */
  id?: string | undefined
  agent: string
  cwd: string
  model?: string | undefined
  name?: string | undefined
  projectId?: string | undefined
  /** Either this or `promptFile`. */
  prompt?: string | undefined
  /** An absolute path. */
  promptFile?: string | undefined
  promise?: string | undefined
  limits?: LoopLimits | undefined
  schedule?: LoopSchedule | undefined
  /** `stop`: a budget that is used up ends the loop. */
  onExceeded?: OnExceeded | undefined
  /** How the agent of each iteration starts. */
  start?: StartOptions | undefined
  creatorId?: string | undefined
}

export interface ChangeLoopOptions extends SenderOptions {
  /** Null removes the name. */
  name?: string | null | undefined
  prompt?: string | undefined
  /** Null removes a limit. */
  limits?: { [Limit in keyof LoopLimits]?: LoopLimits[Limit] | null } | undefined
}

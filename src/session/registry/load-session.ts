import type { Agent, AgentDescription } from '../../agents/agent.ts'
import type { Bus } from '../../bus/bus.ts'
import type { StampedEvent } from '../../events/types.ts'
import type { Log } from '../../log/log.ts'
import type { SessionRecord } from '../../log/types.ts'
import { catchErrors } from '../../shared/catch-errors.ts'
import { Fault } from '../../shared/fault.ts'
import { createApprovalRequester } from '../bus/approval-requester.ts'
import { createSessionPublisher } from '../bus/session-publisher.ts'
import type { ApprovalPolicy } from '../conversation/approvals.ts'
import type { EndReason } from '../conversation/runner.ts'
import { type AwakeSession, createSession } from '../conversation/session.ts'
import type { RecordChange } from '../conversation/session-deps.ts'
import { openAccount } from '../recording/account.ts'
import { createSessionRecorder } from '../recording/session-recorder.ts'
import { notStored, readAndClose } from './close-interrupted.ts'
import { createIdleTimer } from './idle-timer.ts'
import { settleLog } from './recover.ts'
import { createTitler } from './title.ts'

/** What all sessions share. */
export interface LoadOptions {
  log: Log
  bus?: Bus
  now(): number
  publish?(event: StampedEvent): void
  /** Told what went wrong in those who are told; no session notices. */
  onError(cause: unknown): void
  /** Where an agent’s program is. */
  findProgram(agent: AgentDescription): string | undefined
  gate: string
  env?: NodeJS.ProcessEnv
  policy?: ApprovalPolicy
  /** An agent that has done nothing for so long is ended. */
  idleMs: number
}

/** What one session needs beside it. */
export interface LoadHooks {
  agent: Agent
  remembered: Set<string>
  makeRoom(): Promise<void>
  onRecord(change: RecordChange): void
  /** It has rested for long. */
  onRested(): void
  /** What happens in it can no longer be stored. */
  onFailed(): void
}

/** A session that is in memory. */
export interface LoadedSession {
  session: AwakeSession
  /** Somebody wants something of it. */
  touch(): void
  /** When something last happened in it. */
  since(): number
  close(reason: EndReason): Promise<void>
}

/** Brings a session into memory: its account, its recorder, and all who hear of it. */
export const loadSession = async (
  record: SessionRecord,
  options: LoadOptions,
  hooks: LoadHooks,
): Promise<LoadedSession> => {
  const { log, bus, now, onError } = options
  const { agent } = hooks
  // A run that the log could not be told the end of is closed before another begins.
  const ledger = await openAccount(log, record.id, (after) => readAndClose(record, after, options))
  const head = await log.head(record.id)
  const onPrompt = await createTitler({ log, record, head, onRecord: hooks.onRecord })
  const teller = bus && createSessionPublisher(bus, record)
  const guarded = catchErrors(onError)

  let failure: { cause: unknown } | undefined
  const recorder = createSessionRecorder({
    log,
    sessionId: record.id,
    after: head,
    ledger,
    now,
    publish(event) {
      if (event.type === 'agent_end') idle.touch()
      guarded(() => options.publish?.(event))
      guarded(() => teller?.event(event))
      asker?.note(event)
    },
    onFailure(cause) {
      failure ??= { cause }
      onError(cause)
      hooks.onFailed()
    },
  })

  let told = Promise.resolve()
  const tellEnd = async (reason: EndReason, errorMessage: string | undefined): Promise<void> => {
    await recorder.settled()
    // Whoever removes a session tells of it once it is gone.
    if (reason !== 'removed') guarded(() => teller?.ended(now(), reason, errorMessage))
  }

  const session = createSession(
    {
      id: record.id,
      agent,
      program: () => programOf(agent, options),
      cwd: record.cwd,
      recorder,
      now,
      gate: options.gate,
      ...(options.env && { env: options.env }),
      ...(options.policy && { policy: options.policy }),
      remembered: hooks.remembered,
      makeRoom: hooks.makeRoom,
      onRecord: hooks.onRecord,
      onPrompt,
      onAccount: recorder.keepAccount,
      onEnd(reason, errorMessage) {
        told = tellEnd(reason, errorMessage)
      },
    },
    {
      head,
      ledger,
      ...(record.model !== undefined && { model: record.model }),
      ...(record.nativeId !== undefined && { nativeId: record.nativeId }),
    },
  )
  const asker =
    bus &&
    createApprovalRequester({
      bus,
      record,
      now,
      isOpen: (id) => session.pendingApprovals().some(({ approvalId }) => approvalId === id),
      answer: session.answer,
      onError,
    })
  // A run that is still going on will end, and then the waiting begins anew.
  const idle = createIdleTimer({
    ms: options.idleMs,
    now,
    settled: recorder.settled,
    run() {
      if (!session.isBusy()) hooks.onRested()
    },
  })

  return {
    session,
    touch: idle.touch,
    since: idle.since,
    async close(reason) {
      idle.stop()
      await session.leave(reason)
      await recorder.close()
      await told
      // The log may be well again. Where it is not, this is done when the session comes back.
      if (failure) await settleLog(record, options, notStored(failure.cause)).catch(onError)
    },
  }
}

/** Where an agent’s program is; without one it cannot be started. */
export const programOf = (
  agent: AgentDescription,
  { findProgram }: Pick<LoadOptions, 'findProgram'>,
) => {
  const program = findProgram(agent)
  if (program !== undefined) return program
  throw new Fault('agent_not_found', `${agent.title} is not installed.`)
}

import { useState } from 'react'
import type { Continuation, SessionInfo } from '../../../src/api/index.ts'
import { ApiError } from '../../../src/client/index.ts'
import { reasonOf } from '../../../src/shared/reason.ts'
import { useAgentTitle } from '../agents/use-agent-title.ts'
import { useApp } from '../app/use-app.ts'
import { useMay } from '../app/use-may.ts'
import { ProblemMessage } from '../parts/problem-message.tsx'

/** Below a session that Sluice only watches: what its agent does, and how to continue it here. */
export const ContinueBar = ({ session }: { session: SessionInfo }) => {
  const titleOf = useAgentTitle()
  const mayPrompt = useMay('prompt')
  const { run, isRunning, problem, needed } = useContinue(session.id)
  const isAlive = livingStates.has(session.watched?.presence?.state ?? '')
  return (
    <section className="continue-bar" aria-label="Continue here">
      <p role="status">
        <strong>This session is read-only here.</strong> {textOf(session, titleOf(session))}
      </p>
      {mayPrompt && !needed && (
        <button type="button" disabled={isAlive || isRunning} onClick={() => run({})}>
          Continue here
        </button>
      )}
      <ProblemMessage reason={problem} />
      {mayPrompt && needed && (
        <button type="button" disabled={isAlive || isRunning} onClick={() => run(needed)}>
          It has ended, continue here
        </button>
      )}
    </section>
  )
}

/** A process of the agent works in the session, so that another one would damage it. */
const livingStates: ReadonlySet<string> = new Set(['working', 'waiting', 'idle', 'alive'])

const textOf = ({ watched }: SessionInfo, title: string): string => {
  const { state, pid, waitingFor } = watched?.presence ?? {}
  const process = pid === undefined ? '' : ` (process ${pid})`
  switch (state) {
    case 'working':
    case 'alive':
      return `${title} works outside Sluice${process}. To continue here, end it there first.`
    case 'idle':
      return `${title} is open outside Sluice${process}. To continue here, end it there first.`
    case 'waiting':
      return `${title} waits for an answer outside Sluice${waitingFor === undefined ? '' : `: ${waitingFor}`}${process}. Answer it there.`
    case 'gone':
      return `${title} has ended. Sluice can resume it from here.`
    default:
      return `${title} ran outside Sluice, which shows what it has stored.`
  }
}

const useContinue = (id: string) => {
  const { client } = useApp()
  const [isRunning, setRunning] = useState(false)
  const [problem, setProblem] = useState<string>()
  const [needed, setNeeded] = useState<Continuation>()
  const run = async (confirmation: Continuation) => {
    setRunning(true)
    setProblem(undefined)
    try {
      await client.sessions.continue(id, confirmation)
    } catch (cause) {
      setProblem(reasonOf(cause))
      setNeeded(cause instanceof ApiError ? confirmationFor(cause, confirmation) : undefined)
    }
    setRunning(false)
  }
  return { run, isRunning, problem, needed }
}

/** What a person must confirm to continue after all; undefined if that does not help. */
const confirmationFor = (
  { code, problem }: ApiError,
  before: Continuation,
): Continuation | undefined => {
  if (code === 'presence_unknown') return { ...before, confirmed: true }
  const isLost = code === 'no_owner' && problem?.state === 'machine_lost'
  return isLost && typeof problem?.node === 'string'
    ? { ...before, lostNode: problem.node }
    : undefined
}

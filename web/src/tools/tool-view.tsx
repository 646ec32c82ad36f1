import { memo } from 'react'
import { type ToolKind, toolKindOf } from '../../../src/agents/tool-calls/tool-kind.ts'
import type { DecisionNote } from '../../../src/events/types.ts'
import type { ToolEntry } from '../../../src/transcript/index.ts'
import { Fold } from '../parts/fold.tsx'
import { formatDuration } from '../parts/format.ts'
import { PathLabel } from '../parts/path-label.tsx'
import { Elapsed } from '../parts/relative-time.tsx'
import { Revealed } from '../parts/revealed.tsx'
import { useDirectory } from '../session/session-scope.ts'
import { bodies, isOpenAtFirst } from './bodies.tsx'
import { StatusSign } from './status-sign.tsx'
import { isAboutFile, subjectOf } from './subject-of.ts'
import '../style/tool.css'

interface Props {
  entry: ToolEntry
  foldKey: string
  /** Whether the call started a subagent with a conversation of its own. */
  hasThread: boolean
  /** Whether an approval card elsewhere on the page shows this call. */
  isAwaitingApproval: boolean
  /** Whether the call runs on only after a decision about a budget. */
  isPaused: boolean
  /** Whether the call has not begun because a call before it waits for an approval. */
  isBehindAnother: boolean
}

/** A tool call: running, or with its result. */
export const ToolView = memo((props: Props) => {
  const { entry, foldKey, hasThread, isAwaitingApproval, isBehindAnother, isPaused } = props
  const kind = hasThread ? 'subagent' : toolKindOf(entry.toolName)
  const Body = bodies[kind]
  const denial = denialMessage(entry)
  return (
    <Fold
      foldKey={foldKey}
      className={`tool tool-${kind} tool-${entry.status}`}
      isOpenAtFirst={!isAwaitingApproval && isOpenAtFirst(kind, entry)}
      head={
        <ToolHead
          entry={entry}
          wait={isPaused ? 'paused' : waitOf(isAwaitingApproval, isBehindAnother)}
        />
      }
    >
      {() => (
        <>
          {denial !== undefined && <p className="tool-decision">{denial}</p>}
          <Body entry={entry} />
        </>
      )}
    </Fold>
  )
})

const notStarted = 'not started'

/** What a call waits for, in words; undefined if it does not wait. */
const waitOf = (isAwaitingApproval: boolean, isBehindAnother: boolean): string | undefined => {
  if (isAwaitingApproval) return 'waits for you'
  return isBehindAnother ? notStarted : undefined
}

const ToolHead = ({ entry, wait }: { entry: ToolEntry; wait: string | undefined }) => {
  const { toolName, args, status, exitCode } = entry
  const kind = toolKindOf(toolName)
  const subject = subjectOf(toolName, args, useDirectory())
  return (
    <>
      <StatusSign status={status} wait={wait} />
      <span className="tool-name">
        <Revealed text={names[kind] ?? toolName} />
      </span>
      <span className="tool-subject">
        {isAboutFile(kind) ? <PathLabel path={subject} /> : <Revealed text={subject} />}
      </span>
      {isAllowedByPerson(entry) && <span className="tool-time">allowed</span>}
      {exitCode !== undefined && exitCode !== 0 && (
        <span className="tool-exit">exit {exitCode}</span>
      )}
      {status === 'interrupted' && <span className="tool-exit">interrupted</span>}
      {wait !== undefined ? (
        <span className={wait === notStarted ? 'tool-time' : 'tool-waiting'}>{wait}</span>
      ) : (
        <span className="tool-time number">
          <Duration entry={entry} />
        </span>
      )}
    </>
  )
}

/** What a person calls some kinds of tools. Other tools keep the name that the agent uses. */
const names: Partial<Record<ToolKind, string>> = { plan: 'Plan', question: 'Question' }

/** Whether a person allowed the call; what the policy allows by itself needs no mention. */
const isAllowedByPerson = ({ decision }: ToolEntry): boolean =>
  decision?.action === 'allow' && decision.outcome !== 'policy'

/** How long the tool has worked. The time that it waited for a person is no work. */
const Duration = ({ entry }: { entry: ToolEntry }) => {
  const { status, startedAt, endedAt, durationMs, waitedMs = 0 } = entry
  if (status === 'running')
    return startedAt !== undefined && <Elapsed since={startedAt + waitedMs} />
  const measured = startedAt && endedAt ? endedAt - startedAt - waitedMs : undefined
  const duration = durationMs ?? measured
  return duration !== undefined && formatDuration(Math.max(0, duration))
}

/** Why a tool was not allowed to run; undefined if it was. */
const denialMessage = ({ decision }: ToolEntry): string | undefined => {
  if (!decision || decision.action === 'allow') return undefined
  const { outcome, message } = decision
  return message === undefined ? denials[outcome] : `${denials[outcome]} “${message}”`
}

const denials: Record<DecisionNote['outcome'], string> = {
  answered: 'Denied.',
  expired: 'Denied: nobody answered in time.',
  cancelled: 'Denied: the run was stopped.',
  agent_gone: 'Denied: the agent had exited.',
  policy: 'Denied by policy.',
}

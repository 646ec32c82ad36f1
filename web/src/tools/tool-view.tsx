import { memo } from 'react'
import type { ToolEntry } from '../../../src/transcript/index.ts'
import { Fold } from '../parts/fold.tsx'
import { formatDuration } from '../parts/format.ts'
import { Elapsed } from '../parts/relative-time.tsx'
import { bodies, isOpenAtFirst } from './bodies.tsx'
import { denialMessage } from './decision-words.ts'
import { kindOf } from './kind-of.ts'
import { StatusSign } from './status-sign.tsx'
import { subjectOf } from './subject-of.ts'
import '../style/tool.css'

interface Props {
  entry: ToolEntry
  name: string
  /** Something happened inside this call: it is shown as an agent of its own. */
  hasThread: boolean
  /** A person is being asked about it, elsewhere on the page. */
  isAsked: boolean
}

/** A tool at work, or what came of it. */
export const ToolView = memo(({ entry, name, hasThread, isAsked }: Props) => {
  const kind = hasThread ? 'subagent' : kindOf(entry.toolName)
  const Body = bodies[kind]
  const decided = denialMessage(entry)
  return (
    <Fold
      name={name}
      className={`tool tool-${kind} tool-${entry.status}`}
      isOpenAtFirst={!isAsked && isOpenAtFirst(kind, entry)}
      head={<ToolHead entry={entry} />}
    >
      {() => (
        <>
          {decided !== undefined && <p className="tool-decision">{decided}</p>}
          <Body entry={entry} />
        </>
      )}
    </Fold>
  )
})

const ToolHead = ({ entry }: { entry: ToolEntry }) => {
  const { toolName, args, status, exitCode } = entry
  return (
    <>
      <StatusSign status={status} />
      <span className="tool-name">{toolName}</span>
      <span className="tool-subject">{subjectOf(toolName, args)}</span>
      {isAllowed(entry) && <span className="tool-time">allowed</span>}
      {exitCode !== undefined && exitCode !== 0 && (
        <span className="tool-exit">exit {exitCode}</span>
      )}
      {status === 'interrupted' && <span className="tool-exit">interrupted</span>}
      <span className="tool-time number">
        <Time entry={entry} />
      </span>
    </>
  )
}

/** A rule that lets all pass is no news. */
const isAllowed = ({ decision }: ToolEntry): boolean =>
  decision?.action === 'allow' && decision.outcome !== 'policy'

const Time = ({ entry }: { entry: ToolEntry }) => {
  const { status, startedAt, endedAt, durationMs } = entry
  if (status === 'running') return startedAt !== undefined && <Elapsed since={startedAt} />
  const took = durationMs ?? (startedAt && endedAt ? endedAt - startedAt : undefined)
  return took !== undefined && formatDuration(took)
}

import { useState } from 'react'
import { activityOf } from '../../../src/api/summary.ts'
import { sessionName } from '../../../src/client/index.ts'
import { ConnectionState } from '../app/connection-state.tsx'
import { useApp } from '../app/use-app.ts'
import { useStore } from '../lib/use-store.ts'
import { formatCost, formatTime, provenanceSign } from '../parts/format.ts'
import { Gauge } from '../parts/gauge.tsx'
import { Icon } from '../parts/icon.tsx'
import { Link } from '../parts/link.tsx'
import { Revealed } from '../parts/revealed.tsx'
import type { Replay } from '../replay/replay.ts'
import { comparisonPath, loopPath } from '../state/route.ts'
import { ForkLinks } from './fork-links.tsx'
import { isReadOnly } from './is-read-only.ts'
import { PanelButtons } from './panel-buttons.tsx'
import { RenameForm } from './rename-form.tsx'
import { SessionActivity } from './session-activity.tsx'
import { type SessionDialog, SessionDialogs } from './session-dialogs.tsx'
import { SessionMenu } from './session-menu.tsx'
import { useSession } from './session-scope.ts'
import { type SessionChoices, useSessionChoices } from './use-session-choices.ts'

interface Props {
  id: string
  replay: Replay
  onFind: () => void
  onReplay: () => void
}

/** The name and state of a session, with its panels, search and menu. */
export const SessionHeader = ({ id, replay, onFind, onReplay }: Props) => {
  const { overview } = useApp()
  const transcript = useStore(useSession().transcript)
  const session = useStore(overview).sessions.find((each) => each.id === id)
  const [isRenaming, setRenaming] = useState(false)
  const [dialog, setDialog] = useState<SessionDialog>()
  const choices = useSessionChoices(id)
  const { transcript: past, at } = useStore(replay)
  const name = past?.name ?? (session ? sessionName(session) : (transcript?.name ?? 'Session'))
  const model = transcript?.model ?? (past ? undefined : session?.model)
  const totals = transcript?.totals
  return (
    <header className="session-header">
      <Link to="/" className="quiet-button back">
        <Icon name="back" />
        <span className="visually-hidden">All sessions</span>
      </Link>
      <div className="session-title">
        {isRenaming ? (
          <RenameForm
            id={id}
            name={(session ?? transcript)?.name ?? ''}
            defaultName={session && sessionName({ ...session, name: undefined })}
            onDone={() => setRenaming(false)}
          />
        ) : (
          <h1 dir="auto">
            <Revealed text={name} />
          </h1>
        )}
        <p className="session-about">
          {past && at !== undefined && <span>At {formatTime(at, Date.now())}</span>}
          <SessionActivity
            session={past ? undefined : session}
            activity={transcript && activityOf(transcript)}
          />
          <span className="only-wide">{choices.agentTitle}</span>
          {past || isReadOnly(session) || !choices.canChangeModel ? (
            <span>{model}</span>
          ) : (
            <button type="button" className="link-button" onClick={() => setDialog('model')}>
              {model === undefined || model === 'unknown' ? 'Choose a model' : model}
            </button>
          )}
          <ModeLabel
            choices={choices}
            isFixed={past !== undefined || isReadOnly(session)}
            onChange={() => setDialog('mode')}
          />
          {totals && totals.costUsd !== null && (
            <span className="number" title={`Cost (${totals.provenance.cost})`}>
              {provenanceSign(totals.provenance.cost)}
              {formatCost(totals.costUsd)}
            </span>
          )}
          {session?.loopId !== undefined && (
            <Link to={loopPath(session.loopId)} className="session-loop">
              <Icon name="loop" />
              Iteration {session.iteration}
            </Link>
          )}
          {session?.comparisonId !== undefined && !session.imported && (
            <Link to={comparisonPath(session.comparisonId)} className="session-loop">
              Comparison
            </Link>
          )}
          {session && <ForkLinks session={session} />}
          {session?.pinned && !past && <span>Pinned</span>}
          {session?.imported && !past && <span>Imported</span>}
          {session?.watched && !past && <span>Watched</span>}
          <Gauge context={transcript?.context} />
        </p>
      </div>
      <PanelButtons />
      <span className="only-narrow">
        <ConnectionState />
      </span>
      <button
        type="button"
        className="quiet-button"
        aria-label="Search this session"
        title="Search this session"
        onClick={onFind}
      >
        <Icon name="search" />
      </button>
      <SessionMenu
        id={id}
        name={name}
        isPinned={session?.pinned === true}
        isReadOnly={isReadOnly(session)}
        onRename={() => setRenaming(true)}
        choices={choices}
        onDialog={setDialog}
        onReplay={onReplay}
      />
      <SessionDialogs
        id={id}
        open={dialog}
        choices={choices}
        onClose={() => setDialog(undefined)}
      />
    </header>
  )
}

interface ModeLabelProps {
  choices: SessionChoices
  /** Whether the session cannot change, because it is a replay or is read-only. */
  isFixed: boolean
  onChange: () => void
}

/** The permission mode, with the way to change it. Nothing if the agent has no modes. */
const ModeLabel = ({ choices, isFixed, onChange }: ModeLabelProps) => {
  const { modes, mode, mayChangeMode } = choices
  const label = modes.find(({ id }) => id === mode)?.label ?? mode
  if (isFixed || !mayChangeMode || modes.length === 0)
    return label === undefined ? null : <span title="Permission mode">{label}</span>
  return (
    <button type="button" className="link-button" title="Permission mode" onClick={onChange}>
      {label ?? 'Default mode'}
    </button>
  )
}

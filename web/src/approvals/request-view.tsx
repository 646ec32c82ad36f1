import { type ReactNode, useMemo } from 'react'
import type { ApprovalPreview, EditPreview } from '../../../src/api/index.ts'
import { UnifiedRows } from '../diff/diff-rows.tsx'
import { diffRows } from '../diff/rows.ts'
import { Revealed } from '../parts/revealed.tsx'
import type { CardApproval } from './approval-card.tsx'
import { ArgsList, shownArgs, UnshownArgs } from './args-list.tsx'
import { isLongName } from './is-long-name.ts'
import { RequestBox } from './request-box.tsx'
import { Warnings } from './warnings.tsx'
import '../style/diff.css'

interface Props {
  approval: CardApproval
  /** What the server draws of the request; undefined while it is not known. */
  preview: ApprovalPreview | undefined
  /** Called once the end of the request has been on the screen. */
  onSeen: () => void
}

/** All that a tool call would do: a command or a diff, and every argument that is not in it. */
export const RequestView = ({ approval, preview, onSeen }: Props) => {
  const { label, texts, content } = useMemo(() => viewOf(approval, preview), [approval, preview])
  return (
    <>
      <Warnings texts={texts} />
      <RequestBox label={label} onSeen={onSeen}>
        {content}
      </RequestBox>
    </>
  )
}

interface View {
  readonly label: string
  /** All that is shown, to look for what could mislead a reader. */
  readonly texts: readonly string[]
  readonly content: ReactNode
}

const viewOf = ({ toolName, args }: CardApproval, preview: ApprovalPreview | undefined): View => {
  const name = isLongName(toolName) ? { 'tool name': toolName } : undefined
  if (preview?.kind === 'command') return commandView(preview.command, preview.cwd, preview.unshown)
  if (preview?.kind === 'edit') return editView(preview)
  const note = preview?.kind === 'arguments' ? preview.note : undefined
  const list = [...shownArgs(name), ...shownArgs(args)]
  return {
    label: 'Arguments',
    texts: list.flatMap(({ name: argument, text }) => [argument, text]),
    content: (
      <>
        {note !== undefined && <p className="request-note">{note}</p>}
        {list.length === 0 ? (
          <p className="request-note">No arguments.</p>
        ) : (
          <ArgsList args={list} />
        )}
      </>
    ),
  }
}

const commandView = (
  command: string,
  cwd: string | undefined,
  unshown: Readonly<Record<string, unknown>>,
): View => {
  const others = shownArgs(unshown)
  return {
    label: 'Command',
    texts: [command, ...others.flatMap(({ name, text }) => [name, text])],
    content: (
      <>
        <pre className="request-text">
          <Revealed text={command} isCollapsed />
        </pre>
        {cwd !== undefined && (
          <p className="request-note">
            in{' '}
            <code>
              <Revealed text={cwd} />
            </code>
          </p>
        )}
        <UnshownArgs args={others} />
      </>
    ),
  }
}

const editView = ({ path, realPath, isNewFile, hunks, unshown }: EditPreview): View => {
  const others = shownArgs(unshown)
  const rows = diffRows(hunks)
  return {
    label: `Changes to ${path}`,
    texts: [
      path,
      ...rows.map(({ text }) => text),
      ...others.flatMap(({ name, text }) => [name, text]),
    ],
    content: (
      <>
        <p className="request-path">
          <code>
            <Revealed text={path} />
          </code>
          {isNewFile && <span className="arg-type">new file</span>}
        </p>
        {realPath !== undefined && (
          <p className="request-note">
            A symbolic link leads to{' '}
            <code>
              <Revealed text={realPath} />
            </code>
          </p>
        )}
        {rows.length === 0 ? (
          <p className="request-note">The file stays as it is.</p>
        ) : (
          <UnifiedRows rows={rows} />
        )}
        <UnshownArgs args={others} />
      </>
    ),
  }
}

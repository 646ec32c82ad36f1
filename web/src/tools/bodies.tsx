import { type ComponentType, useMemo } from 'react'
import type { ToolKind } from '../../../src/agents/tool-calls/tool-kind.ts'
import { stringIn } from '../../../src/shared/fields.ts'
import { revealText } from '../../../src/shared/revealed-text.ts'
import type { ToolEntry } from '../../../src/transcript/index.ts'
import { DiffView } from '../diff/diff-view.tsx'
import { Code } from '../highlight/code.tsx'
import { Markdown } from '../markdown/markdown.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { Fold } from '../parts/fold.tsx'
import { JsonView } from '../parts/json-view.tsx'
import { Revealed } from '../parts/revealed.tsx'
import { editDiff } from './edit-diff.ts'
import { ImagesView } from './images-view.tsx'
import { OutputView } from './output-view.tsx'
import { QuestionAnswers } from './question-answers.tsx'
import { SubagentBody } from './subagent-body.tsx'

interface Props {
  entry: ToolEntry
}

const ShellBody = ({ entry }: Props) => (
  <>
    <LongCommand command={stringIn(entry.args, 'command', 'cmd') ?? ''} />
    <OutputView entry={entry} end="tail" />
  </>
)

/** A short command is shown in full in the head of the card, so it is not repeated. */
const LongCommand = ({ command }: { command: string }) =>
  (command.length > 60 || command.includes('\n')) && <CommandView command={command} />

/** A shell command, with a button to copy it. */
export const CommandView = ({ command }: { command: string }) => (
  <div className="command">
    <pre>
      {revealText(command).warnings.length > 0 ? (
        <code>
          <Revealed text={command} />
        </code>
      ) : (
        <Code code={command} language="bash" />
      )}
    </pre>
    <CopyButton text={command} label="Copy command" />
  </div>
)

const ReadBody = ({ entry }: Props) => (
  <>
    <ImagesView content={entry.result?.content ?? []} />
    <OutputView entry={entry} end="head" />
  </>
)

const EditBody = ({ entry }: Props) =>
  entry.status === 'failed' || entry.status === 'interrupted' ? (
    <FailedEdit entry={entry} />
  ) : (
    <EditChange entry={entry} />
  )

/** An edit that did not succeed. What it would have changed is folded: nobody may take it for done. */
const FailedEdit = ({ entry }: Props) => {
  const { args, result, toolCallId, status } = entry
  const { path, hunks } = useMemo(() => editDiff(args, result?.details), [args, result])
  return (
    <>
      <p className="tool-note">
        {status === 'failed'
          ? 'This change was not made.'
          : 'It is not known whether this change was made.'}
      </p>
      {status === 'failed' && <OutputView entry={entry} end="head" />}
      {args !== undefined && (
        <Fold
          foldKey={`requested-${toolCallId}`}
          className="requested-edit"
          isOpenAtFirst={false}
          head="What the agent wanted to change"
        >
          {() =>
            hunks.length > 0 ? (
              <DiffView hunks={hunks} label={`Requested changes to ${path}`} />
            ) : (
              <JsonView value={args} />
            )
          }
        </Fold>
      )}
    </>
  )
}

const EditChange = ({ entry }: Props) => {
  const { args, result, status } = entry
  const diff = useMemo(() => editDiff(args, result?.details), [args, result])
  const { path, hunks, isAgainstFile, isWhole } = diff
  const isUnchanged = isAgainstFile && hunks.length === 0
  return (
    <>
      {hunks.length > 0 && <DiffView hunks={hunks} label={`Changes to ${path}`} />}
      {isUnchanged && <p className="tool-note">The file stays as it is.</p>}
      {isWhole && !isAgainstFile && status === 'done' && (
        <p className="tool-note">The agent did not report what was in the file before.</p>
      )}
      {hunks.length === 0 && !isUnchanged && args !== undefined && <JsonView value={args} />}
      {hunks.length === 0 && <OutputView entry={entry} end="head" />}
    </>
  )
}

const PlanBody = ({ entry }: Props) => {
  const { args, result, status } = entry
  const plan = stringIn(args, 'plan') ?? stringIn(result?.details, 'plan')
  return (
    <>
      {plan === undefined ? (
        <p className="tool-empty">The agent did not send its plan.</p>
      ) : (
        <Markdown text={plan} isStreaming={false} />
      )}
      {status === 'failed' && <OutputView entry={entry} end="head" />}
    </>
  )
}

const OtherBody = ({ entry }: Props) => (
  <>
    {entry.args !== undefined && <JsonView value={entry.args} />}
    <ImagesView content={entry.result?.content ?? []} />
    <OutputView entry={entry} end="head" />
    {entry.shown !== undefined && typeof entry.shown !== 'string' && !entry.result && (
      <JsonView value={entry.shown} />
    )}
  </>
)

/** The content of a tool card, by the kind of the tool. */
export const bodies: Record<ToolKind, ComponentType<Props>> = {
  shell: ShellBody,
  read: ReadBody,
  edit: EditBody,
  search: ReadBody,
  subagent: SubagentBody,
  question: QuestionAnswers,
  plan: PlanBody,
  other: OtherBody,
}

/** Whether a card is open until the user opens or closes it. */
export const isOpenAtFirst = (kind: ToolKind, { status, result }: ToolEntry): boolean => {
  if (status === 'failed' || result?.content.some(({ type }) => type === 'image')) return true
  if (kind === 'read' || kind === 'search' || kind === 'other') return false
  return true
}

import { useCallback, useId, useRef, useState } from 'react'
import type { RuleSuggestion } from '../../../src/events/index.ts'
import { ProblemMessage } from '../parts/problem-message.tsx'
import type { CardApproval } from './approval-card.tsx'
import { DenyForm } from './deny-form.tsx'
import { EditForm } from './edit-form.tsx'
import { ReadHint } from './read-hint.tsx'
import { RequestView } from './request-view.tsx'
import type { SendAnswer } from './use-answer.ts'
import { useHotkeys } from './use-hotkeys.ts'
import { usePreview } from './use-preview.ts'

interface Props {
  approval: CardApproval
  answer: SendAnswer
  isSending: boolean
}

type Mode = 'choose' | 'deny' | 'edit'

/** Decides on a tool call. It can be allowed once the end of the request has been on the screen. */
export const ToolForm = ({ approval, answer, isSending }: Props) => {
  const { toolName = 'tool', args } = approval
  const [mode, setMode] = useState<Mode>('choose')
  /** The form that was just closed: the button that opened it gets the focus. */
  const [closed, setClosed] = useState<Mode>()
  const { value: preview, error } = usePreview(approval)
  const view = error === undefined ? (preview?.kind ?? 'loading') : 'failed'
  /** The view whose end has been on the screen. */
  const [seen, setSeen] = useState<string>()
  const isSeen = view !== 'loading' && seen === view
  const root = useRef<HTMLDivElement>(null)
  const hintId = useId()
  const onSeen = useCallback(() => setSeen(view), [view])
  const allow = () => answer({ action: 'allow' })
  const [rule] = preview?.suggestions ?? []
  const allowForSession = () =>
    rule && answer({ action: 'allow', remember: { scope: 'session', rule } })
  const goBack = () => {
    setClosed(mode)
    setMode('choose')
  }
  useHotkeys(root, mode === 'choose' && !isSending, {
    d: () => setMode('deny'),
    ...(isSeen && { a: allow, e: () => setMode('edit'), s: allowForSession }),
  })
  const cannotAllow = isSending || !isSeen
  return (
    <div className="approval-tool" ref={root} aria-busy={view === 'loading'}>
      {mode !== 'edit' && (
        <RequestView key={view} approval={approval} preview={preview} onSeen={onSeen} />
      )}
      <ProblemMessage title="Could not load the preview" reason={error} />
      {mode === 'edit' && (
        <EditForm
          toolName={toolName}
          args={args}
          isSending={isSending}
          onCancel={goBack}
          onAllow={(updatedInput) => answer({ action: 'allow', updatedInput })}
        />
      )}
      {mode === 'deny' && (
        <DenyForm
          isSending={isSending}
          onCancel={goBack}
          onDeny={(message) => answer({ action: 'deny', ...(message !== '' && { message }) })}
        />
      )}
      {mode === 'choose' && (
        <div className="approval-buttons">
          <button
            type="button"
            className="primary"
            disabled={cannotAllow}
            aria-describedby={isSeen ? undefined : hintId}
            onClick={allow}
          >
            Allow <Hotkey letter="A" />
          </button>
          <button
            type="button"
            // biome-ignore lint/a11y/noAutofocus: only right after its own form was closed.
            autoFocus={closed === 'deny'}
            disabled={isSending}
            onClick={() => setMode('deny')}
          >
            Deny… <Hotkey letter="D" />
          </button>
          <button
            type="button"
            // biome-ignore lint/a11y/noAutofocus: only right after its own form was closed.
            autoFocus={closed === 'edit'}
            disabled={cannotAllow}
            onClick={() => setMode('edit')}
          >
            Edit and allow… <Hotkey letter="E" />
          </button>
          {rule && <RuleButton rule={rule} isDisabled={cannotAllow} onClick={allowForSession} />}
          {!isSeen && <ReadHint id={hintId} root={root} />}
        </div>
      )}
    </div>
  )
}

/** The key for a button; visible while it works. */
const Hotkey = ({ letter }: { letter: string }) => (
  <span className="hotkey" aria-hidden="true">
    <kbd>{letter}</kbd>
  </span>
)

interface RuleButtonProps {
  rule: RuleSuggestion
  isDisabled: boolean
  onClick: () => void
}

/** Allows the call, and what its rule covers, for the rest of the session. */
const RuleButton = ({ rule, isDisabled, onClick }: RuleButtonProps) => (
  <button type="button" disabled={isDisabled} onClick={onClick}>
    Allow <code>{rule.pattern ?? rule.tool}</code> for this session <Hotkey letter="S" />
  </button>
)

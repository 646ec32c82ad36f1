import { useRef, useState } from 'react'
import { ArgsView } from './args-view.tsx'
import { DenyForm } from './deny-form.tsx'
import { EditForm } from './edit-form.tsx'
import type { SendAnswer } from './use-answer.ts'
import { useHotkeys } from './use-hotkeys.ts'

interface Props {
  toolName: string
  args: unknown
  answer: SendAnswer
  isSending: boolean
}

type Mode = 'choose' | 'deny' | 'edit'

/** Decides on a tool call: allow, deny, edit and allow, or allow the tool for the session. */
export const ToolForm = ({ toolName, args, answer, isSending }: Props) => {
  const [mode, setMode] = useState<Mode>('choose')
  /** The form that was just closed: the button that opened it gets the focus. */
  const [closed, setClosed] = useState<Mode>()
  const root = useRef<HTMLDivElement>(null)
  const allow = () => answer({ action: 'allow' })
  const allowForSession = () => answer({ action: 'allow', remember: 'tool' })
  const goBack = () => {
    setClosed(mode)
    setMode('choose')
  }
  useHotkeys(root, mode === 'choose' && !isSending, {
    a: allow,
    d: () => setMode('deny'),
    e: () => setMode('edit'),
    s: allowForSession,
  })
  return (
    <div className="approval-tool" ref={root}>
      {mode !== 'edit' && <ArgsView toolName={toolName} args={args} />}
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
          <button type="button" className="primary" disabled={isSending} onClick={allow}>
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
            disabled={isSending}
            onClick={() => setMode('edit')}
          >
            Edit and allow… <Hotkey letter="E" />
          </button>
          <button type="button" disabled={isSending} onClick={allowForSession}>
            Allow {toolName} for this session <Hotkey letter="S" />
          </button>
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

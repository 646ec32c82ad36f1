import { useRef, useState } from 'react'
import { ArgsView } from './args-view.tsx'
import { DenyForm } from './deny-form.tsx'
import { EditForm } from './edit-form.tsx'
import type { Answer } from './use-answer.ts'
import { useHotkeys } from './use-hotkeys.ts'

interface Props {
  toolName: string
  args: unknown
  answer: Answer
  isSending: boolean
}

/** Whether a tool may run: as it is, changed, from now on, or not. */
export const ToolForm = ({ toolName, args, answer, isSending }: Props) => {
  const [mode, setMode] = useState<'choose' | 'deny' | 'edit'>('choose')
  const root = useRef<HTMLDivElement>(null)
  const allow = () => answer({ action: 'allow' })
  const allowAll = () => answer({ action: 'allow', remember: 'tool' })
  useHotkeys(root, mode === 'choose' && !isSending, {
    a: allow,
    s: allowAll,
    e: () => setMode('edit'),
    d: () => setMode('deny'),
  })
  return (
    <div ref={root}>
      {mode !== 'edit' && <ArgsView toolName={toolName} args={args} />}
      {mode === 'edit' && (
        <EditForm
          toolName={toolName}
          args={args}
          isSending={isSending}
          onCancel={() => setMode('choose')}
          onAllow={(updatedInput) => answer({ action: 'allow', updatedInput })}
        />
      )}
      {mode === 'deny' && (
        <DenyForm
          isSending={isSending}
          onCancel={() => setMode('choose')}
          onDeny={(message) => answer({ action: 'deny', ...(message !== '' && { message }) })}
        />
      )}
      {mode === 'choose' && (
        <div className="approval-buttons">
          <button type="button" className="primary" disabled={isSending} onClick={allow}>
            Allow <kbd>A</kbd>
          </button>
          <button type="button" disabled={isSending} onClick={() => setMode('deny')}>
            Deny… <kbd>D</kbd>
          </button>
          <button type="button" disabled={isSending} onClick={() => setMode('edit')}>
            Edit, then allow… <kbd>E</kbd>
          </button>
          <button type="button" disabled={isSending} onClick={allowAll}>
            Allow {toolName} in this session <kbd>S</kbd>
          </button>
        </div>
      )}
    </div>
  )
}

import { useCallback, useRef, useState } from 'react'
import { allows, offersDecision, optionChoices } from '../../../src/events/chosen-option.ts'
import type { DecisionOption } from '../../../src/events/types.ts'
import { ProblemMessage } from '../parts/problem-message.tsx'
import type { CardApproval } from './approval-card.tsx'
import { DecisionButtons, type DecisionForm } from './decision-buttons.tsx'
import { DenyForm } from './deny-form.tsx'
import { EditForm } from './edit-form.tsx'
import { RememberForm } from './remember-form.tsx'
import { RequestView } from './request-view.tsx'
import type { SendAnswer } from './use-answer.ts'
import { useHotkeys } from './use-hotkeys.ts'
import { usePreview } from './use-preview.ts'

interface Props {
  approval: CardApproval
  answer: SendAnswer
  isSending: boolean
}

/** Decides on a tool call. It can be allowed once the end of the request has been on the screen. */
export const ToolForm = ({ approval, answer, isSending }: Props) => {
  const { toolName = 'tool', args, options = [] } = approval
  const canAllowOnce = offersDecision(options, { action: 'allow' })
  /** The form that is open, instead of the buttons. */
  const [form, setForm] = useState<DecisionForm>()
  const [closed, setClosed] = useState<DecisionForm>()
  const { value: preview, error } = usePreview(approval)
  const { suggestions = [], canRewrite = false } = preview ?? {}
  const view = error === undefined ? (preview?.kind ?? 'loading') : 'failed'
  /** The view whose end has been on the screen. */
  const [seen, setSeen] = useState<string>()
  const isSeen = view !== 'loading' && seen === view
  const root = useRef<HTMLDivElement>(null)
  const onSeen = useCallback(() => setSeen(view), [view])
  const allow = () => answer(allowedBy(optionChoices(options).allow))
  const goBack = () => {
    setClosed(form)
    setForm(undefined)
  }
  useHotkeys(root, form === undefined && !isSending, {
    d: () => setForm('deny'),
    ...(isSeen && canAllowOnce && { a: allow }),
    ...(isSeen && canAllowOnce && canRewrite && { e: () => setForm('edit') }),
    ...(isSeen && suggestions.length > 0 && { s: () => setForm('remember') }),
  })
  return (
    <div className="approval-tool" ref={root} aria-busy={view === 'loading'}>
      {form !== 'edit' && (
        <RequestView key={view} approval={approval} preview={preview} onSeen={onSeen} />
      )}
      <ProblemMessage title="Could not load the preview" reason={error} />
      {form === 'edit' && (
        <EditForm
          toolName={toolName}
          args={args}
          isSending={isSending}
          onCancel={goBack}
          onAllow={(updatedInput) => answer({ action: 'allow', updatedInput })}
        />
      )}
      {form === 'deny' && (
        <DenyForm
          isSending={isSending}
          onCancel={goBack}
          onDeny={(message) => answer(deniedBy(optionChoices(options).deny, message))}
        />
      )}
      {form === 'remember' && (
        <RememberForm
          toolName={toolName}
          suggestions={suggestions}
          isSending={isSending}
          onCancel={goBack}
          onAllow={(remember) => answer({ action: 'allow', remember })}
        />
      )}
      {form === undefined && (
        <DecisionButtons
          closed={closed}
          isSending={isSending}
          isSeen={isSeen}
          canRewrite={canRewrite}
          hasSuggestions={suggestions.length > 0}
          options={options}
          root={root}
          onChoose={(choice) => answer(chosenBy(choice))}
          onAllow={allow}
          onOpen={setForm}
        />
      )}
    </div>
  )
}

/** The answer that names exactly the choice that was pressed. */
const chosenBy = (choice: DecisionOption) =>
  ({ action: allows(choice) ? 'allow' : 'deny', optionId: choice.id }) as const

const allowedBy = (once: DecisionOption | undefined) =>
  once ? chosenBy(once) : ({ action: 'allow' } as const)

const deniedBy = (option: DecisionOption | undefined, message: string) => ({
  ...(option ? chosenBy(option) : ({ action: 'deny' } as const)),
  ...(message !== '' && { message }),
})

import { type RefObject, useId } from 'react'
import { allows, offersDecision, optionChoices } from '../../../src/events/chosen-option.ts'
import type { DecisionOption } from '../../../src/events/types.ts'
import { Revealed } from '../parts/revealed.tsx'
import { ReadHint } from './read-hint.tsx'

/** A form of a card that a button opens. */
export type DecisionForm = 'deny' | 'edit' | 'remember'

interface Props {
  /** The form that was just closed: the button that opened it gets the focus. */
  closed: DecisionForm | undefined
  isSending: boolean
  /** Whether the end of the request has been on the screen. */
  isSeen: boolean
  /** Whether the agent can run the call with other arguments. */
  canRewrite: boolean
  /** Whether a rule could cover calls like this one. */
  hasSuggestions: boolean
  /** What the agent offers; empty if it only waits for yes or no. */
  options: readonly DecisionOption[]
  /** The element with the request. */
  root: RefObject<HTMLElement | null>
  onAllow: () => void
  onChoose: (choice: DecisionOption) => void
  onOpen: (form: DecisionForm) => void
}

/** Allow, deny, and the forms of a card. Whatever allows waits until the request was read. */
export const DecisionButtons = (props: Props) => {
  const { isSending, isSeen, hasSuggestions, closed, root, options, onAllow, onOpen } = props
  const hintId = useId()
  const cannotAllow = isSending || !isSeen
  const hint = isSeen ? undefined : hintId
  const { allow, deny, others } = optionChoices(options)
  return (
    <>
      <div className="approval-buttons">
        <button
          type="button"
          className="primary"
          disabled={cannotAllow || !offersDecision(options, { action: 'allow' })}
          aria-describedby={hint}
          // The second click of a double click may have been meant for a card that is gone.
          onClick={({ detail }) => detail < 2 && onAllow()}
        >
          <OptionLabel option={allow} plain="Allow" /> <Hotkey letter="A" />
        </button>
        <button
          type="button"
          // biome-ignore lint/a11y/noAutofocus: only right after its own form was closed.
          autoFocus={closed === 'deny'}
          disabled={isSending}
          onClick={() => onOpen('deny')}
        >
          <OptionLabel option={deny} plain="Deny" />… <Hotkey letter="D" />
        </button>
        {props.canRewrite && (
          <button
            type="button"
            // biome-ignore lint/a11y/noAutofocus: only right after its own form was closed.
            autoFocus={closed === 'edit'}
            disabled={cannotAllow}
            aria-describedby={hint}
            onClick={() => onOpen('edit')}
          >
            Edit and allow… <Hotkey letter="E" />
          </button>
        )}
        {hasSuggestions && (
          <button
            type="button"
            // biome-ignore lint/a11y/noAutofocus: only right after its own form was closed.
            autoFocus={closed === 'remember'}
            disabled={cannotAllow}
            aria-describedby={hint}
            onClick={() => onOpen('remember')}
          >
            Always allow… <Hotkey letter="S" />
          </button>
        )}
        {!isSeen && <ReadHint id={hintId} root={root} />}
      </div>
      {others.length > 0 && <OptionButtons {...props} options={others} hint={hint} />}
    </>
  )
}

/** The other choices that the agent offers. Their labels can be long, so they scroll with the request. */
const OptionButtons = ({
  options,
  isSending,
  isSeen,
  hint,
  onChoose,
}: Props & { hint: string | undefined }) => (
  <div className="approval-options">
    {options.map((choice) => (
      <button
        key={choice.id}
        type="button"
        title={allows(choice) ? 'Allows the request' : 'Denies the request'}
        disabled={isSending || (allows(choice) && !isSeen)}
        aria-describedby={allows(choice) ? hint : undefined}
        // The second click of a double click may have been meant for a card that is gone.
        onClick={({ detail }) => detail < 2 && onChoose(choice)}
      >
        <Revealed text={choice.label} isCollapsed />
      </button>
    ))}
  </div>
)

/** The agent’s own name of a choice; `plain` if the agent offers none. */
const OptionLabel = ({ option, plain }: { option: DecisionOption | undefined; plain: string }) =>
  option ? <Revealed text={option.label} isCollapsed /> : plain

/** The key for a button; visible while it works. */
export const Hotkey = ({ letter }: { letter: string }) => (
  <span className="hotkey" aria-hidden="true">
    <kbd>{letter}</kbd>
  </span>
)

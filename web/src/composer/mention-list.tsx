import { useEffect, useRef } from 'react'
import { Revealed } from '../parts/revealed.tsx'
import type { OfferedMentions } from './use-mentions.ts'

/** The id of an offered choice, for screen readers. */
export const choiceId = (listId: string, index: number): string => `${listId}-${index}`

/** Commands, skills and subagents for the word at the cursor. */
export const MentionList = ({ offered }: { offered: OfferedMentions }) => {
  const { listId, choices, active, choose } = offered
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: 'nearest' })
  }, [active])
  if (choices.length === 0) return null
  return (
    <div
      id={listId}
      ref={list}
      className="mention-list"
      role="listbox"
      aria-label="Commands of the agent"
    >
      {choices.map((choice, index) => (
        <button
          key={choice.text}
          id={choiceId(listId, index)}
          type="button"
          role="option"
          aria-selected={index === active}
          tabIndex={-1}
          className="mention"
          // The field keeps the focus.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => choose(choice)}
        >
          <span className="mention-name">
            {choice.text}
            {choice.command.hint !== undefined && (
              <span className="mention-about">
                {' '}
                <Revealed text={choice.command.hint} />
              </span>
            )}
          </span>
          <span className="mention-about">
            {choice.command.kind === 'skill' && 'Skill. '}
            {choice.command.description !== undefined && (
              <Revealed text={choice.command.description} />
            )}
          </span>
        </button>
      ))}
    </div>
  )
}

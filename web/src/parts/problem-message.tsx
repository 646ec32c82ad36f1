import { useEffect, useRef } from 'react'

interface Props {
  /** What failed; left out where the user sees it from the form. */
  title?: string
  /** Why it failed; undefined while nothing has. */
  reason: string | undefined
}

/** An error, if there is one. Screen readers read it as soon as it appears. */
export const ProblemMessage = ({ title, reason }: Props) => {
  const element = useRef<HTMLParagraphElement>(null)
  // Forms can be longer than the screen.
  useEffect(() => {
    if (reason !== undefined) element.current?.scrollIntoView({ block: 'nearest' })
  }, [reason])
  if (reason === undefined) return null
  return (
    <p ref={element} className="error-message" role="alert">
      {title !== undefined && `${title}: `}
      {reason.split(/`([^`\n]+)`/).map((part, at) =>
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other key
        at % 2 === 1 ? <code key={at}>{part}</code> : part,
      )}
    </p>
  )
}

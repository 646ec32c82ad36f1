import { type RefObject, useEffect, useState } from 'react'
import { Icon } from '../parts/icon.tsx'

interface Props {
  /** The id by which disabled buttons refer to the hint. */
  id: string
  /** The element with the request. */
  root: RefObject<HTMLElement | null>
}

/** A short request is on the screen before anybody could read a hint. */
const delayMs = 300

/** Says why a request cannot be allowed yet: its end has not been on the screen. */
export const ReadHint = ({ id, root }: Props) => {
  const [isDue, setDue] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setDue(true), delayMs)
    return () => clearTimeout(timer)
  }, [])
  const jump = () => {
    const box = root.current?.querySelector<HTMLElement>('.request-box')
    box?.scrollTo({ top: box.scrollHeight })
    // In the middle, because the buttons cover the end of a card.
    box?.querySelector('.request-end')?.scrollIntoView({ block: 'center' })
    box?.focus({ preventScroll: true })
  }
  if (!isDue) return null
  return (
    <p className="approval-hint" id={id}>
      Scroll to the end to allow
      <button type="button" className="link-button" onClick={jump}>
        Jump to the end
        <Icon name="down" />
      </button>
    </p>
  )
}

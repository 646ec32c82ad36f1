import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useSeen } from './use-seen.ts'
import '../style/request.css'

interface Props {
  label: string
  /** Called once the end of the content has been on the screen. */
  onSeen: () => void
  children: ReactNode
}

/** Shows all of a request. A long one scrolls, and says how much of it is below. */
export const RequestBox = ({ label, onSeen, children }: Props) => {
  const box = useRef<HTMLElement>(null)
  const end = useRef<HTMLDivElement>(null)
  const isSeen = useSeen(end)
  const linesBelow = useLinesBelow(box)
  useEffect(() => {
    if (isSeen) onSeen()
  }, [isSeen, onSeen])
  return (
    <div className="request">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled must be reachable by keyboard. */}
      <section className="request-box" ref={box} tabIndex={0} aria-label={label}>
        <div className="request-content">
          {children}
          <div className="request-end" ref={end} />
        </div>
      </section>
      {linesBelow > 0 && (
        <p className="request-more">
          {linesBelow} more {linesBelow === 1 ? 'line' : 'lines'}
        </p>
      )}
    </div>
  )
}

/** How many lines of a box are below its visible part. */
const useLinesBelow = (box: { readonly current: HTMLElement | null }): number => {
  const [lines, setLines] = useState(0)
  useLayoutEffect(() => {
    const { current } = box
    if (!current) return
    const measure = () => {
      const below = current.scrollHeight - current.clientHeight - current.scrollTop
      const lineHeight = Number.parseFloat(getComputedStyle(current).lineHeight)
      setLines(below < 2 ? 0 : Math.ceil(below / lineHeight))
    }
    measure()
    const observer = new ResizeObserver(measure)
    for (const element of [current, ...current.children]) observer.observe(element)
    current.addEventListener('scroll', measure, { passive: true })
    return () => {
      observer.disconnect()
      current.removeEventListener('scroll', measure)
    }
  }, [box])
  return lines
}

import { type RefObject, useEffect, useState } from 'react'

/** Whether an element has been on the screen: not scrolled away, and not behind something else. */
export const useSeen = (element: RefObject<HTMLElement | null>): boolean => {
  const [isSeen, setSeen] = useState(false)
  useEffect(() => {
    const { current } = element
    if (isSeen || !current) return
    let frame = 0
    const look = () => {
      if (isOnScreen(current)) setSeen(true)
      else frame = requestAnimationFrame(look)
    }
    const observer = new IntersectionObserver((entries) => {
      cancelAnimationFrame(frame)
      // A dialog or the buttons may still cover it, so it is looked at in every frame.
      if (entries.at(-1)?.isIntersecting) look()
    })
    observer.observe(current)
    return () => {
      cancelAnimationFrame(frame)
      observer.disconnect()
    }
  }, [element, isSeen])
  return isSeen
}

/** Whether a point at the top and at the bottom of the element are drawn where it is. */
const isOnScreen = (element: HTMLElement): boolean => {
  const { left, top, bottom, width } = element.getBoundingClientRect()
  const isDrawnAt = (y: number) =>
    element.parentElement?.contains(document.elementFromPoint(left + width / 2, y)) === true
  return document.visibilityState === 'visible' && isDrawnAt(top + 1) && isDrawnAt(bottom - 1)
}

import { matchesIn } from './mark-matches.ts'

/** The virtual list measures a row several times before it stops moving: follow it for this long. */
const longestFrames = 60
/** The row has stopped moving once the match was visible in this many frames in a row. */
const calmFrames = 6

/** Scrolls the first match in the target row into view; returns a function that stops it. */
export const scrollToMatch = (box: Element, query: string): (() => void) => {
  let frame = 0
  let calm = 0
  const step = (framesLeft: number) => () => {
    const row = box.querySelector('.row-target')
    const [first] = row ? matchesIn(row, query) : []
    const offset = first ? offsetTo(box, first) : undefined
    calm = offset === 0 ? calm + 1 : 0
    if (offset) box.scrollTop += offset
    if (framesLeft > 0 && calm < calmFrames) frame = requestAnimationFrame(step(framesLeft - 1))
  }
  frame = requestAnimationFrame(step(longestFrames))
  return () => cancelAnimationFrame(frame)
}

/** How far to scroll until the match is visible; 0 if it is. */
const offsetTo = (box: Element, match: Range): number => {
  const [outer, inner] = [box.getBoundingClientRect(), match.getBoundingClientRect()]
  const isVisible = inner.top >= outer.top && inner.bottom <= outer.bottom
  return isVisible ? 0 : inner.top - outer.top - box.clientHeight / 3
}

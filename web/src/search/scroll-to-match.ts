import { matchesIn } from './mark-matches.ts'

/** A row is measured again and again until it stands still; so long it is looked after. */
const longestFrames = 60
const calmFrames = 6

/** Brings the first match in the row that was found onto the screen; gives its undo. */
export const scrollToMatch = (box: Element, words: string): (() => void) => {
  let frame = 0
  let calm = 0
  const look = (left: number) => () => {
    const row = box.querySelector('.row-target')
    const [first] = row ? matchesIn(row, words) : []
    const offset = first ? offsetTo(box, first) : undefined
    calm = offset === 0 ? calm + 1 : 0
    if (offset) box.scrollTop += offset
    if (left > 0 && calm < calmFrames) frame = requestAnimationFrame(look(left - 1))
  }
  frame = requestAnimationFrame(look(longestFrames))
  return () => cancelAnimationFrame(frame)
}

/** How far to scroll until it can be seen; 0 where it can. */
const offsetTo = (box: Element, range: Range): number => {
  const [outer, inner] = [box.getBoundingClientRect(), range.getBoundingClientRect()]
  const isSeen = inner.top >= outer.top && inner.bottom <= outer.bottom
  return isSeen ? 0 : inner.top - outer.top - box.clientHeight / 3
}

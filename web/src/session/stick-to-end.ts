/** What is needed to know of something that scrolls. */
export interface ScrollBox {
  scrollTop: number
  readonly scrollHeight: number
  readonly clientHeight: number
}

/** Closer to the end than this counts as there. */
const nearPx = 48
/** A list that goes up so soon after the reader’s hand was on it was moved by that. */
const handMs = 1000
/** A list that has kept its size for so long does not move by itself. */
const calmMs = 300

/** Keeps a list at its end while the reader is there; whoever scrolls up is left alone. */
export const createStickToEnd = (
  onChange: (isAtEnd: boolean) => void,
  now: () => number = () => performance.now(),
) => {
  let isAtEnd = true
  let lastTop = 0
  let lastSize = ''
  let touchedAt = Number.NEGATIVE_INFINITY
  let resizedAt = Number.NEGATIVE_INFINITY

  const become = (next: boolean) => {
    if (next === isAtEnd) return
    isAtEnd = next
    onChange(next)
  }
  const isNear = ({ scrollTop, scrollHeight, clientHeight }: ScrollBox): boolean =>
    scrollTop + clientHeight >= scrollHeight - nearPx

  /** Rows that are measured, or a field that grows, move a list up, too. */
  const isByReader = () => now() - touchedAt < handMs || now() - resizedAt > calmMs

  const look = (list: ScrollBox) => {
    const size = `${list.scrollHeight} ${list.clientHeight}`
    if (size !== lastSize) resizedAt = now()
    lastSize = size
    if (isNear(list)) become(true)
    else if (list.scrollTop < lastTop - 1 && isByReader()) become(false)
    lastTop = list.scrollTop
  }
  const toEnd = (list: ScrollBox) => {
    list.scrollTop = list.scrollHeight
    lastTop = list.scrollTop
  }
  return {
    /** The reader’s hand is on the list: a wheel, a finger, a key, the bar beside it. */
    touched(): void {
      touchedAt = now()
    },
    /** The list was scrolled, by the reader, by us or by itself. */
    moved(list: ScrollBox): void {
      look(list)
      if (isAtEnd && !isNear(list)) toEnd(list)
    },
    /** The list has changed: to its end, if the reader is there. */
    follow(list: ScrollBox): void {
      look(list) // the reader may have moved it since we were told last
      if (isAtEnd) toEnd(list)
    },
    /** The list will be moved elsewhere on purpose. */
    leave: () => become(false),
    stick(list: ScrollBox): void {
      become(true)
      toEnd(list)
    },
  }
}

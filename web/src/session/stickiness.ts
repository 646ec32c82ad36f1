/** What is needed to know of something that scrolls. */
export interface Scrolled {
  scrollTop: number
  readonly scrollHeight: number
  readonly clientHeight: number
}

/** Closer to the end than this counts as there. */
const nearPx = 48

/** Keeps a list at its end while the reader is there; whoever scrolls up is left alone. */
export const createStickiness = (onChange: (isAtEnd: boolean) => void) => {
  let isAtEnd = true
  let lastTop = 0

  const become = (now: boolean) => {
    if (now === isAtEnd) return
    isAtEnd = now
    onChange(now)
  }
  const isNear = ({ scrollTop, scrollHeight, clientHeight }: Scrolled): boolean =>
    scrollTop + clientHeight >= scrollHeight - nearPx
  /** What grows at the end never moves the list up: if it was, that was the reader. */
  const look = (list: Scrolled) => {
    if (list.scrollTop < lastTop - 1) become(isNear(list))
    else if (isNear(list)) become(true)
    lastTop = list.scrollTop
  }
  const toEnd = (list: Scrolled) => {
    list.scrollTop = list.scrollHeight
    lastTop = list.scrollTop
  }

  return {
    /** The list was scrolled, by the reader or by us. */
    moved: look,
    /** The list has changed: to its end, if the reader is there. */
    follow(list: Scrolled): void {
      // The reader may have moved it since we were told last.
      if (list.scrollTop < lastTop - 1) look(list)
      if (isAtEnd) toEnd(list)
    },
    /** The list will be moved elsewhere on purpose. */
    leave: () => become(false),
    stick(list: Scrolled): void {
      become(true)
      toEnd(list)
    },
  }
}

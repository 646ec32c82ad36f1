/** What is needed of an element that scrolls. */
export interface ScrollBox {
  scrollTop: number
  readonly scrollHeight: number
  readonly clientHeight: number
}

/** Keeps a growing list at its end while the reader is there, and nowhere else. */
export interface StickToEnd {
  /** The reader uses the wheel, a finger, a key or the scroll bar. */
  onInput(): void
  /** The list was scrolled: by the reader, by this, or by the browser. */
  onScroll(box: ScrollBox): void
  /** Rows were added or resized: scrolls to the end if the reader is there. */
  onChange(box: ScrollBox): void
  /** Lets go of the end, before the list is scrolled elsewhere on purpose. */
  release(): void
  /** Scrolls to the end and stays there. */
  stick(box: ScrollBox): void
}

/** Closer to the end than this counts as at the end. */
const nearPx = 48
/** The list moves up within this time after an input of the reader: the reader has scrolled it. */
const inputMs = 1000
/** A list that has kept its size for this long is not moved by the browser. */
const calmMs = 300

export const createStickToEnd = (
  onAtEnd: (isAtEnd: boolean) => void,
  now: () => number = () => performance.now(),
): StickToEnd => {
  let isAtEnd = true
  let lastTop = 0
  let lastSize = ''
  let inputAt = Number.NEGATIVE_INFINITY
  let resizedAt = Number.NEGATIVE_INFINITY

  const setAtEnd = (next: boolean) => {
    if (next === isAtEnd) return
    isAtEnd = next
    onAtEnd(next)
  }
  const isNearEnd = ({ scrollTop, scrollHeight, clientHeight }: ScrollBox): boolean =>
    scrollTop + clientHeight >= scrollHeight - nearPx

  /** The browser moves a list up, too: when rows are measured, or the field below it grows. */
  const isByReader = () => now() - inputAt < inputMs || now() - resizedAt > calmMs

  const update = (box: ScrollBox) => {
    const size = `${box.scrollHeight} ${box.clientHeight}`
    if (size !== lastSize) resizedAt = now()
    lastSize = size
    if (isNearEnd(box)) setAtEnd(true)
    else if (box.scrollTop < lastTop - 1 && isByReader()) setAtEnd(false)
    lastTop = box.scrollTop
  }
  const scrollToEnd = (box: ScrollBox) => {
    box.scrollTop = box.scrollHeight
    lastTop = box.scrollTop
  }
  return {
    onInput() {
      inputAt = now()
    },
    onScroll(box) {
      update(box)
      if (isAtEnd && !isNearEnd(box)) scrollToEnd(box)
    },
    onChange(box) {
      update(box) // the reader may have scrolled since the last scroll event
      if (isAtEnd) scrollToEnd(box)
    },
    release: () => setAtEnd(false),
    stick(box) {
      setAtEnd(true)
      scrollToEnd(box)
    },
  }
}

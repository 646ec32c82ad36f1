import { createFrame } from '../store/frame.ts'

/** More matches than this are on no screen. */
const limit = 500

/** Marks words in what is on the screen, and in what comes onto it; gives its undo. */
export const markMatches = (root: Element | null, query: string): (() => void) => {
  const wanted = query.trim().toLowerCase()
  if (!root || wanted === '' || !('highlights' in CSS)) return () => {}
  const frame = createFrame(() =>
    CSS.highlights.set('found', new Highlight(...ranges(root, wanted))),
  )
  const observer = new MutationObserver(frame.ask)
  observer.observe(root, { childList: true, subtree: true, characterData: true })
  frame.ask()
  return () => {
    observer.disconnect()
    frame.stop()
    CSS.highlights.delete('found')
  }
}

const ranges = (root: Element, wanted: string): Range[] => {
  const found: Range[] = []
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  while (found.length < limit && walker.nextNode()) {
    const node = walker.currentNode
    const text = node.nodeValue?.toLowerCase() ?? ''
    for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) {
      const range = new Range()
      range.setStart(node, at)
      range.setEnd(node, at + wanted.length)
      found.push(range)
    }
  }
  return found
}

import { createFrame } from '../lib/frame.ts'

/** More matches than this fit on no screen. */
const limit = 500

/** Marks every rendered match, also in rows that render later; returns a function that stops it. */
export const markMatches = (root: Element | null, query: string): (() => void) => {
  if (!root || query.trim() === '' || !('highlights' in CSS)) return () => {}
  const frame = createFrame(() =>
    CSS.highlights.set('found', new Highlight(...matchesIn(root, query))),
  )
  const observer = new MutationObserver(frame.request)
  observer.observe(root, { childList: true, subtree: true, characterData: true })
  frame.request()
  return () => {
    observer.disconnect()
    frame.stop()
    CSS.highlights.delete('found')
  }
}

/** The rendered matches of a query. */
export const matchesIn = (root: Element, query: string): Range[] => {
  const wanted = lowerCased(query.trim())
  const found: Range[] = []
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  while (found.length < limit && walker.nextNode()) {
    const node = walker.currentNode
    const text = lowerCased(node.nodeValue ?? '')
    for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) {
      const range = new Range()
      range.setStart(node, at)
      range.setEnd(node, at + wanted.length)
      found.push(range)
    }
  }
  return found
}

/** Lower case that keeps the length, so that indexes stay valid: only İ would grow. */
export const lowerCased = (text: string): string => text.replaceAll('İ', 'i').toLowerCase()

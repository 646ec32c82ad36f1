import { createFrame } from '../lib/frame.ts'

/** More matches than this are on no screen. */
const limit = 500

/** Marks words in what is on the screen, and in what comes onto it; gives its undo. */
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

/** Where some words stand in what is drawn. */
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

/** In small letters, each in its place: the small İ is the only one that is longer. */
export const lowerCased = (text: string): string => text.replaceAll('İ', 'i').toLowerCase()

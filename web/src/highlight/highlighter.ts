import type { createLowlight } from 'lowlight'
import { createStore } from '../lib/store.ts'

type Highlighter = ReturnType<typeof createLowlight>

/** A piece of code and how it is shown. */
export interface HighlightedSpan {
  readonly text: string
  readonly className?: string
}

/** The highlighter, once it is there. */
export const highlighter = createStore<Highlighter | undefined>(undefined)

let isRequested = false

/** Fetches the highlighter; code is shown plain until it is there. */
export const loadHighlighter = (): void => {
  if (isRequested) return
  isRequested = true
  import('./grammars.ts').then(
    ({ createHighlighter }) => highlighter.set(createHighlighter()),
    () => {
      // Off-line: code stays plain, and the next block asks again.
      isRequested = false
    },
  )
}

/** Longer code is shown plain: nobody reads its colours, and everybody waits for them. */
const longest = 60_000

/** Code in coloured pieces; undefined where its language is not known. */
export const highlight = (
  loaded: Highlighter,
  code: string,
  language: string,
): HighlightedSpan[] | undefined => {
  if (code.length > longest || !loaded.registered(language)) return undefined
  return flat(loaded.highlight(language, code), undefined)
}

type Node = ReturnType<Highlighter['highlight']>['children'][number]
type Parent = { children: readonly Node[] }

const flat = (parent: Parent, className: string | undefined): HighlightedSpan[] =>
  parent.children.flatMap((node): HighlightedSpan[] => {
    if (node.type === 'text') return [{ text: node.value, ...(className && { className }) }]
    if (node.type !== 'element') return []
    const own = node.properties.className
    const name = Array.isArray(own) ? own.join(' ') : undefined
    return flat(node, name ?? className)
  })

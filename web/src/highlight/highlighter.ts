import type { createLowlight } from 'lowlight'
import { createStore } from '../lib/store.ts'

type Highlighter = ReturnType<typeof createLowlight>

/** A piece of code and the class that colours it. */
export interface HighlightedSpan {
  readonly text: string
  readonly className?: string
}

/** The highlighter; undefined until it is loaded. */
export const highlighter = createStore<Highlighter | undefined>(undefined)

let isRequested = false

/** Loads the highlighter once; until then, code has no colours. */
export const loadHighlighter = (): void => {
  if (isRequested) return
  isRequested = true
  import('./grammars.ts').then(
    ({ createHighlighter }) => highlighter.set(createHighlighter()),
    () => {
      // Offline: the next code block tries again.
      isRequested = false
    },
  )
}

/** Longer code has no colours: highlighting it takes too long. */
const longestCode = 60_000

/** Code in coloured spans; undefined if its language is unknown or the code too long. */
export const highlight = (
  loaded: Highlighter,
  code: string,
  language: string,
): HighlightedSpan[] | undefined => {
  if (code.length > longestCode || !loaded.registered(language)) return undefined
  return flatten(loaded.highlight(language, code), undefined)
}

type Node = ReturnType<Highlighter['highlight']>['children'][number]
type Parent = { children: readonly Node[] }

const flatten = (parent: Parent, className: string | undefined): HighlightedSpan[] =>
  parent.children.flatMap((node): HighlightedSpan[] => {
    if (node.type === 'text') return [{ text: node.value, ...(className && { className }) }]
    if (node.type !== 'element') return []
    const own = node.properties.className
    const name = Array.isArray(own) ? own.join(' ') : undefined
    return flatten(node, name ?? className)
  })

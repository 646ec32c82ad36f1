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

/**
 * Longer code has no colours. Most grammars take four times as long for twice as much code when it is
 * made for that: a page of one repeated word took seconds.
 */
const longestCode = 10_000
/** The grammar of JSON reads each character once. */
const longestJson = 60_000

/** How many blocks may take longer than `slowMs`. Afterwards, code on this page has no colours. */
const slowBlocks = 3
const slowMs = 250
let slow = 0

/** Code in coloured spans; undefined if its language is unknown, or colours would take too long. */
export const highlight = (
  loaded: Highlighter,
  code: string,
  language: string,
): HighlightedSpan[] | undefined => {
  const longest = language === 'json' ? longestJson : longestCode
  if (code.length > longest || slow >= slowBlocks || !loaded.registered(language)) return undefined
  const startedAt = performance.now()
  const tree = loaded.highlight(language, code)
  if (performance.now() - startedAt > slowMs) slow += 1
  return flatten(tree, undefined)
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

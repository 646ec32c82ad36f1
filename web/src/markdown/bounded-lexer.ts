import { Lexer, type Token, type TokensList } from 'marked'

/** The blocks of a text. */
export interface BoundedTokens {
  readonly blocks: TokensList
  /** Whether a limit was reached, so that a part of the text has no formatting. */
  readonly isLimited: boolean
}

/** Longer texts are not formatted. */
const longestText = 200_000
/** For task lists and link definitions, the lexer compares each with all others. */
const mostBrackets = 4000
/** How many quotes and lists may be inside each other. Each level reads its content again. */
const deepest = 32
/** How many steps a text may take. That is about 50 ms. */
const budget = 3_000_000

/**
 * Lexes a text within limits. What exceeds them stays plain text: a hostile text of a few kilobytes
 * would otherwise block the page for a minute, or overflow the stack.
 */
export const lexBounded = (text: string): BoundedTokens => {
  if (text.length > longestText || hasMoreOf('[', text, mostBrackets))
    return { blocks: plainBlocks(text), isLimited: true }
  const lexer = new Lexer()
  const readBlocks = lexer.blockTokens.bind(lexer)
  const readInline = lexer.inlineTokens.bind(lexer)
  let depth = 0
  let work = 0
  let isLimited = false

  const blockTokens = (source: string, tokens: Token[] = [], isClipped?: boolean): Token[] => {
    if (depth > 0) work += blockWorkOf(source)
    if (depth > deepest || work > budget) {
      isLimited = true
      tokens.push(plainBlock(source))
      return tokens
    }
    depth += 1
    readBlocks(source, tokens, isClipped)
    depth -= 1
    return tokens
  }

  const inlineTokens = (source: string, tokens: Token[] = []): Token[] => {
    work += workOf(source)
    if (work <= budget) return readInline(source, tokens)
    isLimited = true
    tokens.push(plainToken(source))
    return tokens
  }

  Object.assign(lexer, { blockTokens, inlineTokens })
  const blocks = lexer.lex(text)
  return { blocks, isLimited }
}

/**
 * About how many steps the lexer takes for the content of a line: it looks for the end of each
 * emphasis and link in all of the rest, and for an address from each letter of a word.
 */
const workOf = (source: string): number => {
  let found = 0
  let longestWord = 0
  let word = 0
  for (let at = 0; at < source.length; at += 1) {
    const code = source.charCodeAt(at)
    if (marks.has(code)) found += 1
    word = code <= space ? 0 : word + 1
    if (word > longestWord) longestWord = word
  }
  return source.length * (1 + found) + (longestWord * longestWord) / 8
}

/** The lexer compares each line of a list item or a quote with all lines after it. */
const blockWorkOf = (source: string): number => (source.split('\n').length * source.length) / 8

const space = 0x20
/** The characters that may open something whose end is looked for. */
const marks = new Set([...'*_[~`'].map((mark) => mark.charCodeAt(0)))

/** Whether a text has more than so many of a character. */
const hasMoreOf = (character: string, text: string, limit: number): boolean => {
  let at = -1
  for (let count = 0; count <= limit; count += 1) {
    at = text.indexOf(character, at + 1)
    if (at === -1) return false
  }
  return true
}

const plainBlocks = (text: string): TokensList => Object.assign([plainBlock(text)], { links: {} })

/** HTML is shown as text, and so is this. */
const plainBlock = (source: string): Token => ({
  type: 'html',
  raw: source,
  text: source,
  pre: false,
  block: true,
})

/** Escaped: entities in it stay as they are. */
const plainToken = (source: string): Token => ({
  type: 'text',
  raw: source,
  text: source,
  escaped: true,
})

import type { Token, TokensList } from 'marked'
import { lexBounded } from './bounded-lexer.ts'

/** A Markdown text and its blocks. */
export interface Lexed {
  readonly text: string
  readonly blocks: readonly Token[]
  /** The link definitions of the text, as JSON; they apply to links anywhere in it. */
  readonly links: string
  /** Whether a part has no formatting, because a limit was reached. */
  readonly isLimited: boolean
  /** Text after the blocks that is not lexed yet. */
  readonly tail: string
}

const noLinks = '{}'

export const emptyLexed: Lexed = {
  text: '',
  blocks: [],
  links: noLinks,
  isLimited: false,
  tail: '',
}

/** While more text arrives, blocks that have to be read again may be this long. */
const openLength = 20_000

/**
 * Lexes a text that continues an earlier one. Only the end is read again, because only the end can
 * have changed; all other blocks stay the same objects.
 */
export const lexAppended = (before: Lexed, text: string): Lexed => {
  if (text === before.text + before.tail) return before
  if (before.text === '' || !text.startsWith(before.text)) return lexAll(before, text)
  // A definition applies to links anywhere in the text, so the end cannot be read alone.
  if (before.links !== noLinks || before.isLimited) return lexSometimes(before, text)
  const closed = closedBlocks(before.blocks)
  const start = closed.reduce((length, block) => length + block.raw.length, 0)
  // The lexer replaces some characters (tabs, line ends): then its offsets are not those of the text.
  if (!endsAt(closed, text, start) || text.length - start > openLength)
    return lexSometimes(before, text)
  const { blocks: rest, isLimited } = lexBounded(text.slice(start))
  if (linksOf(rest) !== noLinks) return lexAll(before, text)
  const blocks = [...closed, ...reuse(before.blocks.slice(closed.length), rest)]
  return { text, blocks, links: noLinks, isLimited, tail: '' }
}

/**
 * Lexes a whole text that grows. A long one is lexed again only when it has become a quarter longer:
 * until then, what was added is the tail. So the work in all stays in proportion to the text.
 */
const lexSometimes = (before: Lexed, text: string): Lexed => {
  const isDue = text.length < openLength || text.length > before.text.length * 1.25
  return isDue ? lexAll(before, text) : { ...before, tail: text.slice(before.text.length) }
}

/** Lexes a whole text; unchanged blocks stay the same objects. */
export const lexAll = (before: Lexed, text: string): Lexed => {
  const { blocks: read, isLimited } = lexBounded(text)
  const links = linksOf(read)
  // When definitions change, a block with the same text may link to another address.
  const blocks = links === before.links ? reuse(before.blocks, read) : read
  return { text, blocks, links, isLimited, tail: '' }
}

const linksOf = ({ links }: TokensList): string => JSON.stringify(links)

/**
 * The blocks that more text cannot change. The last block may still become another kind and join
 * the one before it, unless an empty line is between them. It joins a list even then.
 */
const closedBlocks = (blocks: readonly Token[]): readonly Token[] => {
  let end = blocks.findLastIndex((block) => block.type !== 'space')
  while (end > 0 && !isClosed(blocks, end)) end -= 1
  return blocks.slice(0, Math.max(end, 0))
}

const isClosed = (blocks: readonly Token[], end: number): boolean =>
  blocks[end - 1]?.type === 'space' && blocks[end - 2]?.type !== 'list'

/** Whether the last of the blocks ends at this offset of the text. */
const endsAt = (blocks: readonly Token[], text: string, offset: number): boolean => {
  const last = blocks.at(-1)
  return last === undefined || text.slice(offset - last.raw.length, offset) === last.raw
}

/** The new blocks, with the old object for each block that has not changed. */
const reuse = (before: readonly Token[], after: readonly Token[]): Token[] =>
  after.map((block, index) => {
    const old = before[index]
    return old && old.type === block.type && old.raw === block.raw ? old : block
  })

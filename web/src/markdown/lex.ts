import { lexer, type Token, type TokensList } from 'marked'

/** A Markdown text and its blocks. */
export interface Lexed {
  readonly text: string
  readonly blocks: readonly Token[]
  /** The link definitions of the text, as JSON; they apply to links anywhere in it. */
  readonly links: string
}

const noLinks = '{}'

export const emptyLexed: Lexed = { text: '', blocks: [], links: noLinks }

/**
 * Lexes a text that continues an earlier one. Only the end is read again, because only the end can
 * have changed; all other blocks stay the same objects.
 */
export const lexAppended = (before: Lexed, text: string): Lexed => {
  if (text === before.text) return before
  if (before.text === '' || !text.startsWith(before.text)) return lexAll(before, text)
  // A definition applies to links anywhere in the text, so the end cannot be read alone.
  if (before.links !== noLinks) return lexAll(before, text)
  const closed = closedBlocks(before.blocks)
  const start = closed.reduce((length, block) => length + block.raw.length, 0)
  // The lexer replaces some characters (tabs, line ends): then its offsets are not those of the text.
  if (!endsAt(closed, text, start)) return lexAll(before, text)
  const rest = lexer(text.slice(start))
  if (linksOf(rest) !== noLinks) return lexAll(before, text)
  const blocks = [...closed, ...reuse(before.blocks.slice(closed.length), rest)]
  return { text, blocks, links: noLinks }
}

/** Lexes a whole text; unchanged blocks stay the same objects. */
export const lexAll = (before: Lexed, text: string): Lexed => {
  const blocks = lexer(text)
  const links = linksOf(blocks)
  // When definitions change, a block with the same text may link to another address.
  return { text, blocks: links === before.links ? reuse(before.blocks, blocks) : blocks, links }
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

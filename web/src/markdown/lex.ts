import { lexer, type Token, type TokensList } from 'marked'

/** The blocks of a text, and how far each reaches. */
export interface Lexed {
  readonly text: string
  readonly blocks: readonly Token[]
  /** The addresses that the text defines for links anywhere in it, as JSON. */
  readonly links: string
}

const noLinks = '{}'

export const emptyLexed: Lexed = { text: '', blocks: [], links: noLinks }

/**
 * The blocks of a text that grew out of one that was read before. Only its end can have changed,
 * so only from there on it is read again; all other blocks are the same objects as before.
 */
export const lexGrown = (before: Lexed, text: string): Lexed => {
  if (text === before.text) return before
  if (before.text === '' || !text.startsWith(before.text)) return lexWhole(before, text)
  // What is defined anywhere counts everywhere, so the end cannot be read alone.
  if (before.links !== noLinks) return lexWhole(before, text)
  const kept = closedBlocks(before.blocks)
  const start = kept.reduce((length, block) => length + block.raw.length, 0)
  // The lexer reads some characters as others (tabs, line ends): then its places are not ours.
  if (!isSamePlace(kept, text, start)) return lexWhole(before, text)
  const rest = lexer(text.slice(start))
  if (linksOf(rest) !== noLinks) return lexWhole(before, text)
  const blocks = [...kept, ...reused(before.blocks.slice(kept.length), rest)]
  return { text, blocks, links: noLinks }
}

/** The blocks of a whole text; those that are as they were before stay the same objects. */
export const lexWhole = (before: Lexed, text: string): Lexed => {
  const blocks = lexer(text)
  const links = linksOf(blocks)
  // A link that had no address, or another one, looks the same in the text.
  return { text, blocks: links === before.links ? reused(before.blocks, blocks) : blocks, links }
}

const linksOf = ({ links }: TokensList): string => JSON.stringify(links)

/**
 * The blocks that no further words can change. The last one may still become another kind, and
 * then join the one before it, unless an empty line is between them; a list it joins even so.
 */
const closedBlocks = (blocks: readonly Token[]): readonly Token[] => {
  let end = blocks.findLastIndex((block) => block.type !== 'space')
  while (end > 0 && !isClosed(blocks, end)) end -= 1
  return blocks.slice(0, Math.max(end, 0))
}

const isClosed = (blocks: readonly Token[], end: number): boolean =>
  blocks[end - 1]?.type === 'space' && blocks[end - 2]?.type !== 'list'

const isSamePlace = (kept: readonly Token[], text: string, start: number): boolean => {
  const last = kept.at(-1)
  return last === undefined || text.slice(start - last.raw.length, start) === last.raw
}

const reused = (before: readonly Token[], after: readonly Token[]): Token[] =>
  after.map((block, index) => {
    const old = before[index]
    return old && old.type === block.type && old.raw === block.raw ? old : block
  })

import type { MarkedToken, Token, Tokens } from 'marked'
import { memo, type ReactNode } from 'react'
import { CodeBlock } from '../highlight/code-block.tsx'
import { InlineTokens } from './inline-tokens.tsx'
import { isMarkedToken } from './is-marked-token.ts'

interface Props {
  token: Token
  /** Whether more text may still be added to it. */
  isOpen: boolean
}

/** One block of a Markdown text. */
export const MarkdownBlock = memo(({ token, isOpen }: Props) =>
  isMarkedToken(token) ? blockOf(token, isOpen) : <p>{token.raw}</p>,
)

const blockOf = (token: MarkedToken, isOpen: boolean): ReactNode => {
  switch (token.type) {
    case 'space':
    case 'def':
      return null
    case 'heading':
      return <Heading token={token} />
    case 'paragraph':
      return (
        <p>
          <InlineTokens tokens={token.tokens} />
        </p>
      )
    case 'text':
      return <InlineTokens tokens={token.tokens ?? [token]} />
    case 'code':
      return <CodeBlock code={token.text} language={token.lang} isOpen={isOpen} />
    case 'blockquote':
      return <blockquote dir="auto">{blocksOf(token.tokens)}</blockquote>
    case 'list':
      return <ListView token={token} />
    case 'list_item':
      return blocksOf(token.tokens)
    case 'table':
      return <TableView token={token} />
    case 'hr':
      return <hr />
    case 'html':
      return <p className="raw-html">{token.raw.trimEnd()}</p>
    default:
      return <InlineTokens tokens={[token]} />
  }
}

const blocksOf = (tokens: readonly Token[]): ReactNode =>
  tokens.map((each, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: blocks are only ever added at the end.
    <MarkdownBlock key={index} token={each} isOpen={false} />
  ))

/** Headings of a message start at level 3, below those of the page. */
const Heading = ({ token }: { token: Tokens.Heading }) => {
  const inner = <InlineTokens tokens={token.tokens} />
  if (token.depth === 1) return <h3 className="first-heading">{inner}</h3>
  if (token.depth === 2) return <h4>{inner}</h4>
  return <h5>{inner}</h5>
}

const ListView = ({ token }: { token: Tokens.List }) => {
  const items = token.items.map((item, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: items are only ever added at the end.
    <li key={index} className={item.task ? 'task' : undefined}>
      {blocksOf(item.tokens)}
    </li>
  ))
  if (!token.ordered) return <ul dir="auto">{items}</ul>
  return (
    <ol dir="auto" {...(token.start !== '' && { start: token.start })}>
      {items}
    </ol>
  )
}

const TableView = ({ token }: { token: Tokens.Table }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled must be reachable by keyboard.
  <section className="table-scroll" tabIndex={0} aria-label="Table">
    <table dir="auto">
      <thead>
        <tr>
          {token.header.map((cell, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: columns do not move.
            <th key={index} {...alignment(cell)}>
              <InlineTokens tokens={cell.tokens} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {token.rows.map((row, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows are only ever added at the end.
          <tr key={index}>
            {row.map((cell, column) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns do not move.
              <td key={column} {...alignment(cell)}>
                <InlineTokens tokens={cell.tokens} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)

const alignment = ({ align }: Tokens.TableCell) => (align ? { style: { textAlign: align } } : {})

import type { MarkedToken, Token, Tokens } from 'marked'
import type { ReactNode } from 'react'
import { decodeEntities } from './entities.ts'
import { isMarkedToken } from './is-marked-token.ts'
import { safeLink } from './safe-link.ts'

/** The content of a line. HTML is shown as text. */
export const InlineTokens = ({ tokens }: { tokens: readonly Token[] }) =>
  tokens.map((token, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: tokens are only ever added at the end.
    <Inline key={index} token={token} />
  ))

const Inline = ({ token }: { token: Token }): ReactNode =>
  isMarkedToken(token) ? inlineOf(token) : token.raw

const inlineOf = (token: MarkedToken): ReactNode => {
  switch (token.type) {
    case 'strong':
      return (
        <strong>
          <InlineTokens tokens={token.tokens} />
        </strong>
      )
    case 'em':
      return (
        <em>
          <InlineTokens tokens={token.tokens} />
        </em>
      )
    case 'del':
      return (
        <del>
          <InlineTokens tokens={token.tokens} />
        </del>
      )
    case 'codespan':
      return <code dir="ltr">{token.text}</code>
    case 'br':
      return <br />
    case 'checkbox':
      return (
        <input type="checkbox" checked={token.checked} readOnly tabIndex={-1} aria-label="Done" />
      )
    case 'link':
      return <Link token={token} />
    case 'image':
      return <ImageLink token={token} />
    case 'text':
      return token.tokens ? <InlineTokens tokens={token.tokens} /> : textOf(token)
    case 'escape':
      return token.text
    default:
      return token.raw
  }
}

/** Text inside of HTML code elements is escaped already and has no entities to decode. */
const textOf = (token: Tokens.Text | Tokens.Tag): string =>
  'escaped' in token && token.escaped ? token.text : decodeEntities(token.text)

const Link = ({ token }: { token: Tokens.Link }) => {
  const href = safeLink(decodeEntities(token.href))
  const inner = <InlineTokens tokens={token.tokens} />
  if (href === undefined) return <span title={token.href}>{inner}</span>
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {inner}
    </a>
  )
}

/** Images are shown as links: loading them would tell another server who reads this. */
const ImageLink = ({ token }: { token: Tokens.Image }) => {
  const href = safeLink(decodeEntities(token.href))
  const name = decodeEntities(token.text) || 'image'
  if (href === undefined) return name
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {name}
    </a>
  )
}

import type { MarkedToken, Token } from 'marked'

const kinds: Record<MarkedToken['type'], true> = {
  blockquote: true,
  br: true,
  checkbox: true,
  code: true,
  codespan: true,
  def: true,
  del: true,
  em: true,
  escape: true,
  heading: true,
  hr: true,
  html: true,
  image: true,
  link: true,
  list: true,
  list_item: true,
  paragraph: true,
  space: true,
  strong: true,
  table: true,
  text: true,
}

/** Whether a token is one of the lexer’s own kinds, not of an extension. */
export const isMarkedToken = (token: Token): token is MarkedToken =>
  Object.hasOwn(kinds, token.type)

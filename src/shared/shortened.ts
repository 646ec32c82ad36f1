/** A text of at most this length; a longer one ends with `…`. No character is cut in half. */
export const shortened = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1).toWellFormed()}…` : text

/** An escape sequence other than the few colours, or a character that controls or hides. */
export const harmful = new RegExp(
  [
    String.raw`\x1b(?!\[(?:(?:0|1|2|3|4|22|23|24|3[1-6]|39|9[1-6])(?:;(?=\d))?)+m)`,
    String.raw`[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f-\x9f]`,
    String.raw`[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e0fff}]`,
  ].join('|'),
  'u',
)

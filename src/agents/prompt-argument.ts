/** A prompt as an argument. A blank before it keeps `-x` from being a flag and `@x` a file. */
export const promptArgument = (prompt: string): string =>
  /^[-@]/.test(prompt) ? ` ${prompt}` : prompt

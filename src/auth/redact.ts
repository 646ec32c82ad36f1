const hidden = '[hidden]'

/** Everything that looks like one of our keys or tokens. */
const secrets: readonly RegExp[] = [
  /\bsluice_[\w-]{8,}/g,
  /\b(?:pair|ticket)_[\w-]{20,}/g,
  /(?<=\bsluice-[0-9a-f]{12}=[0-9a-f]{16}\.)[\w-]+/g,
  /(?<![\w-])eyJ[\w-]{4,}\.[\w-]{2,}(?:\.[\w-]*)?/g,
  /(?<=\bbearer(?:\s|%20|\+){1,4})[\w.~+/%-]+=*/gi,
  /(?<=[?&#;"'\s](?:access_|id_|refresh_)?(?:token|api_?key|key|secret|password)=)[^&#\s"'\\]+/gi,
]

/** Replaces keys and tokens in a text. For log lines: pino’s `hooks.streamWrite`. */
export const redact = (text: string): string =>
  secrets.reduce((rest, secret) => rest.replace(secret, hidden), text)

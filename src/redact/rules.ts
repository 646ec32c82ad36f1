import { startOfKeyLines } from './key-lines.ts'
import type { SecretRule } from './secret-range.ts'

/**
 * What a key begins behind. The last character of an escaped line break, of a code in a URL and of a
 * terminal colour looks like a part of a word.
 */
const start = /(?<=^|[^\w-]|\\[bfnrt]|\\(?:u00|x)[\da-fA-F]{2}|%[\da-fA-F]{2}|\[[\d;]{0,20}m)/
  .source
/** The same for paths, also behind an option (`-I/home/ann`) and in a diff (`a/home/ann`). */
const pathStart =
  /(?<=^|[^\w.~-]|\\[bfnrt]|\\(?:u00|x)[\da-fA-F]{2}|%[\da-fA-F]{2}|\[[\d;]{0,20}m|(?<!\w)-[A-Za-z]|(?<![\w.~/-])[ab])/
    .source

/** A pattern that matches only where a key can begin. */
const startsWith = (where: string, { source, flags }: RegExp): RegExp =>
  new RegExp(`${where}(?:${source})`, flags)

/**
 * Every pattern is bounded, so a hostile text costs linear time. No replacement
 * matches a pattern, so redacting twice changes nothing more.
 */
export const secretRules: readonly SecretRule[] = [
  {
    name: 'private keys',
    needs: 'PRIVATE KEY',
    // A key that the text cuts off is hidden up to the end.
    pattern:
      /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g,
    replacement: '[redacted-private-key]',
  },
  {
    name: 'ends of private keys',
    needs: 'PRIVATE KEY',
    pattern: /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g,
    startOf: startOfKeyLines,
    replacement: '[redacted-private-key]',
  },
  {
    name: 'keys of providers',
    // Anthropic, OpenAI, OpenRouter, DeepSeek (sk-), Groq, xAI, Perplexity, Replicate, Hugging Face, Google.
    pattern: startsWith(
      start,
      /sk-[\w-]{16,}|gsk_\w{20,}|xai-[\w-]{20,}|pplx-\w{20,}|r8_\w{20,}|hf_\w{20,}|nvapi-[\w-]{20,}|AIza[\w-]{30,}|ya29\.[\w-]{20,}|GOCSPX-[\w-]{20,}|1\/\/0[\w-]{30,}/g,
    ),
    replacement: '[redacted-key]',
  },
  {
    name: 'AWS keys',
    pattern:
      /(?<=^|[^A-Z0-9]|%[\dA-F]{2})(?:AKIA|ASIA|ABIA|ACCA|AIDA|AROA)[A-Z0-9]{16}(?![A-Z0-9])/g,
    replacement: '[redacted-aws-key]',
  },
  {
    name: 'GitHub and GitLab tokens',
    pattern: startsWith(
      start,
      /gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|gl(?:pat|ptt|dt|rt|cbt|soat|ft)-[\w.-]{20,}/g,
    ),
    replacement: '[redacted-token]',
  },
  {
    name: 'tokens of services',
    // Slack, npm, PyPI, Stripe, SendGrid, DigitalOcean, Databricks, Linear, Notion, Vault, Doppler,
    // Supabase, Shopify, Atlassian, Docker, Fly, age, Telegram, Twilio.
    pattern: startsWith(
      start,
      /xox[abeoprs]-[\w-]{10,}|xapp-[\w-]{10,}|npm_\w{30,}|pypi-[\w-]{16,}|[rs]k_(?:live|test)_\w{10,}|whsec_[\w+/=]{16,}|SG\.[\w-]{16,}\.[\w-]{16,}|do[opr]_v1_[a-f0-9]{40,}|dapi[a-f0-9]{32}|lin_(?:api|oauth)_\w{20,}|(?:ntn|secret)_[A-Za-z0-9]{40,}|hv[sb]\.[\w-]{20,}|dp\.(?:pt|st|sa)\.[\w.-]{20,}|sb[ps]_[\w-]{20,}|shp(?:at|ca|pa|ss)_\w{20,}|ATATT[\w=-]{30,}|dckr_pat_[\w-]{20,}|fo1_[\w-]{20,}|AGE-SECRET-KEY-1[A-Z0-9]{20,}|\d{8,10}:AA[\w-]{32,}|SK[a-f0-9]{32}(?!\w)/g,
    ),
    replacement: '[redacted-token]',
  },
  {
    name: 'web hooks',
    needs: 'hooks',
    pattern:
      /(?<=\bhooks\.slack\.com\/(?:services|workflows)\/)[\w/-]{10,}|(?<=\bdiscord(?:app)?\.com\/api\/webhooks\/)[\w/-]{10,}/g,
    replacement: '[redacted-token]',
  },
  {
    name: 'keys of Sluice',
    pattern: startsWith(
      start,
      /sluice_(?=[\w-]{0,80}[A-Z0-9])[\w-]{16,}|(?:pair|ticket)_[\w-]{20,}|(?<=\bsluice-[0-9a-f]{12}=[0-9a-f]{16}\.)[\w-]+/g,
    ),
    replacement: '[redacted-key]',
  },
  {
    name: 'JSON web tokens',
    pattern: startsWith(start, /eyJ[\w-]{8,}\.[\w-]{2,}(?:\.[\w-]*)?/g),
    replacement: '[redacted-jwt]',
  },
  {
    name: 'headers with credentials',
    pattern:
      /(?<=\b(?:proxy-)?authorization["']?\s{0,4}[:=]\s{0,4}["']?(?:basic|digest|negotiate)\s{1,4})[\w.~+/%-]{8,}=*|(?<=(?:^|[\s"']|\\[nrt])(?:set-)?cookie["']?\s{0,4}:\s{0,4}["']?)[\w.-]{1,80}=[^\r\n"'\\]+/gi,
    replacement: '[redacted-credential]',
  },
  {
    name: 'bearer tokens',
    pattern:
      /(?<=\bbearer(?:\s|%20|\+){1,4})[\w.~+/%-]{8,}=*|(?<=\bauthorization["']?\s{0,4}[:=]\s{0,4}["']?)(?!bearer|basic|digest|negotiate|\[redacted)[\w.~+/%-]{8,}=*/gi,
    // `Bearer authentication` and `authorization: z.string` are prose and code.
    replacement: (match) =>
      /\d/.test(match) || match.length >= 24 ? '[redacted-credential]' : undefined,
  },
  {
    name: 'passwords in URLs',
    needs: '://',
    pattern: /(?<=\b[a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/@:"'\\]{0,200}:[^\s/"'\\]{1,400}(?=@)/gi,
    replacement: '[redacted-password]',
  },
  {
    name: 'secrets in query strings',
    pattern:
      /(?<=[?&#;](?:[\w.-]{0,40}[_.-])?(?:token|api_?key|key|secret|password|passwd|sig|signature|credential|session|auth|code)=)(?![$[])[^&#\s"'\\<>)\]]{6,}/gi,
    replacement: '[redacted-secret]',
  },
  {
    name: 'secrets in variables',
    // NAME=value as in a shell, a .env file or the output of `env`.
    pattern:
      /(?<=(?<![A-Za-z0-9])[A-Z0-9_]{0,60}(?:SECRET|TOKEN(?!S)|PASSWORD|PASSWD|PASSPHRASE|PASS|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|SIGNING_?KEY|ENCRYPTION_?KEY|_KEY|CREDENTIALS?|_AUTH|_DSN|_PAT)[A-Z0-9_]{0,30}=)(?:"[^"\r\n]{1,4000}"|'[^'\r\n]{1,4000}'|(?!["'$<])[^\s"'`;&|\\]{4,4000})/g,
    replacement: quotedSecret,
  },
  {
    name: 'secrets in settings',
    // "apiKey": "value", password: 'value', client_secret = value
    pattern:
      /(?<=(?:^|[^A-Za-z0-9])[\w.-]{0,60}?(?:secret|password|passwd|passphrase|passcode|api[_-]?key|access[_-]?key|secret[_-]?key|private[_-]?key|signing[_-]?key|auth[_-]?token|access[_-]?token|refresh[_-]?token|id[_-]?token|session[_-]?token|bearer[_-]?token|bot[_-]?token|token|credentials?|client[_-]?secret|connection[_-]?string)(?:\\?["'])?\s{0,8}(?::|=|=>|:=)\s{0,8})(?:\\"(?:[^"\\\r\n]|\\\\.){1,4000}\\"|"(?:[^"\\\r\n]|\\.){1,4000}"|'(?:[^'\\\r\n]|\\.){1,4000}'|(?![["'`{(<$])[^\s"'`,;&{}()[\]<>\\]{6,4000}(?![\w(]))/gi,
    replacement: settingSecret,
  },
  {
    name: 'secrets in command lines',
    pattern:
      /(?<=(?<!\w)--(?:[\w-]{0,30}-)?(?:token|password|passwd|passphrase|secret|api-?key|access-?key|secret-?key|private-?key|credentials?|auth)(?:=|\s{1,4}))(?:"[^"\\\r\n]{1,4000}"|'[^'\\\r\n]{1,4000}'|(?![-"'$<])[^\s"'`;&|\\]{4,4000})|(?<=\bcurl\b[^\r\n]{0,400}\s(?:-u|--user)\s{1,4}["']?[^\s:"']{1,100}:)[^\s"'\\]{1,400}/g,
    replacement: quotedSecret,
  },
  {
    name: 'e-mail addresses',
    needs: '@',
    // `git@github.com:` is an address of a server, not of a person.
    pattern:
      /(?<![\w.+%-])(?!git@)[\w.+%-]{1,64}@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})\.){1,8}[A-Za-z]{2,24}(?![\w-])/g,
    replacement: '[redacted-email]',
  },
  {
    name: 'e-mail addresses in URLs',
    needs: '%40',
    pattern:
      /(?<![\w.+-])[\w.+-]{1,64}%40(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})\.){1,8}[A-Za-z]{2,24}(?![\w-])/g,
    replacement: '[redacted-email]',
  },
  {
    name: 'passwords in .netrc',
    needs: 'login',
    pattern: /(?<=\blogin\s{1,8}\S{1,100}\s{1,8}password\s{1,8})[^\s"'\\]{1,400}/g,
    replacement: '[redacted-password]',
  },
  {
    name: 'home directories',
    pattern: startsWith(
      pathStart,
      /(?:\/mnt\/[a-z])?\/(?:private\/)?(?:var\/)?(?:home|Users)\/(?!Shared\b|linuxbrew\b)[^/\s"'`\\:;,<>|()[\]{}*?]+|\/(?:var\/)?root(?![\w.-])/g,
    ),
    replacement: '~',
  },
  {
    name: 'home directories of Windows',
    needs: 'Users',
    pattern: /\b[A-Za-z]:(?:\\{1,2}|\/)Users(?:\\{1,2}|\/)(?!Public\b)[^\\/\s"'`:;,<>|*?]+/g,
    replacement: '~',
  },
  {
    name: 'home directories in URLs',
    needs: '%2',
    pattern: /%2F(?:home|Users)%2F(?!Shared\b)[^%/\s"'`\\:;,<>|()[\]{}*?&#]+/gi,
    replacement: '~',
  },
  {
    name: 'home directories in names of folders',
    // Agents name the folder of a project after its path: -home-ann-code-shop.
    pattern: /(?<=[/\\\s"'])-(?:home|Users)-[A-Za-z0-9._]+(?=[-/\\\s"']|$)/g,
    replacement: '-~',
  },
]

/** A quoted value keeps its quotes. */
function quotedSecret(match: string): string | undefined {
  const quote = /^(?:\\?["'])/.exec(match)?.[0] ?? ''
  const value = match.slice(quote.length, match.length - quote.length)
  if (isReference(value)) return undefined
  return `${quote}[redacted-secret]${quote}`
}

/** In code, `token: string` and `token = readToken` name no secret. */
function settingSecret(match: string): string | undefined {
  if (/^\\?["']/.test(match)) return match.length < 6 ? undefined : quotedSecret(match)
  if (isReference(match) || isWord(match) || !/\d/.test(match)) return undefined
  // Amounts and times are no secrets.
  if (/^[\d.,_:+TZ-]+$/.test(match)) return undefined
  return '[redacted-secret]'
}

/** `$NAME`, `<your key>`, `process.env.NAME`, `%NAME%`: it stands for a value, and is none. */
const isReference = (value: string): boolean =>
  /^(?:\$|<|%[A-Z]|process\.env|os\.environ|env\.|import\.meta|secrets\.|\.{3}|\*{3}|x{3,}$|\[redacted)/i.test(
    value,
  )

/** A plain word of prose or code: `Bearer authentication`, `token: undefined`. */
const isWord = (value: string): boolean => /^[A-Z]?[a-z]{1,20}[.,]?$/.test(value)

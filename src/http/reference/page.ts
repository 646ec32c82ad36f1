import { problems } from '../../shared/problem.ts'
import { base, routes } from '../routes/index.ts'
import type { Route } from '../routes/route.ts'
import { scopeWords, statusWords } from './openapi.ts'
import { refusalsOf } from './refusals.ts'
import { type JsonSchema, namedSchemas, schemaOf, wholeSchema } from './schemas.ts'
import { describe, type Field, fieldRows } from './words.ts'

/** The reference as a page: no script, and its style is a file beside it. */
export const referencePage = (version: string): string => {
  const tags = [...new Set(routes.map(({ tag }) => tag))]
  const schemas = Object.entries(namedSchemas())
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sluice: the HTTP API</title>
<link rel="stylesheet" href="/api/docs.css">
</head>
<body>
<main>
<h1>Sluice: the HTTP API</h1>
<p>Version ${escaped(version)}. For programs, the same as <a href="${base}/openapi.json">OpenAPI 3.1</a>.</p>
<p>Send <code>Authorization: Bearer &lt;token&gt;</code>, with an API key or a short token. Bodies are
JSON. A refusal is a problem of RFC 9457 with a stable <code>code</code>.</p>
<nav>${[...tags, 'Schemas', 'Problems'].map((tag) => `<a href="#${anchor(tag)}">${escaped(tag)}</a>`).join(' ')}</nav>
${tags.map((tag) => section(tag, routes.filter((route) => route.tag === tag).map(routeHtml))).join('\n')}
${section('Schemas', schemas.map(schemaHtml))}
${section('Problems', [problemTable()])}
</main>
</body>
</html>
`
}

const section = (title: string, parts: readonly string[]): string =>
  `<section id="${anchor(title)}">\n<h2>${escaped(title)}</h2>\n${parts.join('\n')}\n</section>`

const routeHtml = (route: Route): string => {
  const { method, path, summary, description, scope, parts, reply } = route
  const codes = refusalsOf(route).map(([status, some]) => `${status} ${some.join(', ')}`)
  return `<details>
<summary><span class="method ${method.toLowerCase()}">${method}</span> <code>${escaped(base + path)}</code> ${escaped(summary)}</summary>
${description === undefined ? '' : `<p>${marked(description)}</p>`}
<p>${marked(scopeWords(scope))}${route.isIdempotent ? ' Takes an <code>Idempotency-Key</code>.' : ''}</p>
${part('Path', parts.params && fieldRows(wholeSchema(parts.params)))}
${part('Query', parts.query && fieldRows(wholeSchema(parts.query)))}
${part('Body', parts.body && fieldRows(wholeSchema(parts.body)))}
<p>Answer: <code>${statusWords(route)}</code> ${reply.schema ? typeHtml(schemaOf(reply.schema)) : escaped((reply.mediaTypes ?? []).join(', '))}</p>
<p class="codes">Refusals: ${codes.map((each) => `<code>${escaped(each)}</code>`).join(' ')}</p>
</details>`
}

const schemaHtml = ([name, schema]: [string, JsonSchema]): string => {
  const fields = fieldRows(schema)
  return `<details id="${escaped(name)}">
<summary><code>${escaped(name)}</code> ${marked(schema.description ?? '')}</summary>
${fields.length > 0 ? fieldTable(fields) : `<p>${typeHtml(schema)}</p>`}
</details>`
}

const typeHtml = (schema: JsonSchema): string => {
  const words = escaped(describe(schema))
  return schema.$ref === undefined
    ? `<code>${words}</code>`
    : `<a href="#${words}"><code>${words}</code></a>`
}

const part = (title: string, fields: Field[] | undefined): string =>
  fields && fields.length > 0 ? `<h4>${title}</h4>\n${fieldTable(fields)}` : ''

const fieldTable = (fields: readonly Field[]): string =>
  table(
    ['Field', 'Type', 'Meaning'],
    fields.map(({ name, type, isRequired, description }) => [
      `<code>${escaped(name)}</code>${isRequired ? '' : ' <i>optional</i>'}`,
      `<code>${escaped(type)}</code>`,
      marked(description),
    ]),
  )

const problemTable = (): string =>
  table(
    ['Code', 'Status', 'Meaning'],
    Object.entries(problems).map(([code, { status, title }]) => [
      `<code id="${code}">${code}</code>`,
      String(status),
      escaped(title),
    ]),
  )

const table = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  `<table>\n<tr>${heads.map((head) => `<th>${head}</th>`).join('')}</tr>\n${rows
    .map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}</tr>`)
    .join('\n')}\n</table>`

const anchor = (title: string): string => `part-${title.toLowerCase()}`

/** Text with its `code` marked. */
const marked = (text: string): string => escaped(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>')

const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')

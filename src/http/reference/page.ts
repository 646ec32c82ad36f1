import { problems } from '../../shared/problem.ts'
import { endpoints } from '../endpoints.ts'
import { apiDescription } from '../routes/index.ts'
import type { RouteDescription } from '../routes/route.ts'
import { type FieldRow, fieldRows, typeLabel } from './field-rows.ts'
import { scopeSentence, statusLabel } from './openapi.ts'
import { routeProblems } from './route-problems.ts'
import { type JsonSchema, namedSchemas, schemaOf, wholeSchema } from './schemas.ts'

/** The API reference as an HTML page without scripts; its style is a file of its own. */
export const referencePage = (version: string): string => {
  const tags = [...new Set(apiDescription.map(({ tag }) => tag))]
  const schemas = Object.entries(namedSchemas())
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sluice HTTP API</title>
<link rel="stylesheet" href="${endpoints.referenceStyle.path}">
</head>
<body>
<main>
<h1>Sluice HTTP API</h1>
<p>Version ${escaped(version)}. The same for programs: <a href="${endpoints.openapi.path}">OpenAPI 3.1</a>.</p>
<p>Send <code>Authorization: Bearer &lt;token&gt;</code> with an API key (<code>sluice keys add</code>) or a
short token. Bodies are JSON. Errors are problem details (RFC 9457) with a stable <code>code</code>.</p>
<nav>${[...tags, 'Schemas', 'Problems'].map((tag) => `<a href="#${anchor(tag)}">${escaped(tag)}</a>`).join(' ')}</nav>
${tags.map((tag) => section(tag, apiDescription.filter((route) => route.tag === tag).map(routeHtml))).join('\n')}
${section('Schemas', schemas.map(schemaHtml))}
${section('Problems', [problemTable()])}
</main>
</body>
</html>
`
}

const section = (title: string, parts: readonly string[]): string =>
  `<section id="${anchor(title)}">\n<h2>${escaped(title)}</h2>\n${parts.join('\n')}\n</section>`

const routeHtml = (route: RouteDescription): string => {
  const { endpoint, summary, description, parts, reply } = route
  const { method, path, scope } = endpoint
  const codes = routeProblems(route).map(([status, some]) => `${status} ${some.join(', ')}`)
  return `<details>
<summary><span class="method ${method.toLowerCase()}">${method}</span> <code>${escaped(path)}</code> ${escaped(summary)}</summary>
${description === undefined ? '' : `<p>${marked(description)}</p>`}
<p>${marked(scopeSentence(scope))}${route.isIdempotent ? ' Accepts an <code>Idempotency-Key</code>.' : ''}</p>
${part('Path', parts.params && fieldRows(wholeSchema(parts.params)))}
${part('Query', parts.query && fieldRows(wholeSchema(parts.query)))}
${part('Body', parts.body && fieldRows(wholeSchema(parts.body)))}
<p>Response: <code>${statusLabel(route)}</code> ${reply.schema ? typeHtml(schemaOf(reply.schema)) : escaped((reply.mediaTypes ?? []).join(', '))}</p>
<p class="codes">Problems: ${codes.map((each) => `<code>${escaped(each)}</code>`).join(' ')}</p>
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
  const label = escaped(typeLabel(schema))
  return schema.$ref === undefined
    ? `<code>${label}</code>`
    : `<a href="#${label}"><code>${label}</code></a>`
}

const part = (title: string, fields: FieldRow[] | undefined): string =>
  fields && fields.length > 0 ? `<h4>${title}</h4>\n${fieldTable(fields)}` : ''

const fieldTable = (fields: readonly FieldRow[]): string =>
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

/** Escaped text, with `code` in backticks as an element. */
const marked = (text: string): string => escaped(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>')

const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')

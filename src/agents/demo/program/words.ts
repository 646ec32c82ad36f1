/** What the demo says first, so that nobody takes it for more than it is. */
export const preface =
  'This is a demonstration: no model is behind it, no tool is really run, and its tokens and cost are made up.'

/** How it greets a conversation that it goes on with. */
export const goingOn = (id: string): string => `Going on with conversation ${id}.`

/** The tools that it pretends to have. */
export const toolNames = ['bash', 'read', 'edit', 'screenshot'] as const

/** What it pretends to have summarised. */
export const summary =
  'The person watched the demonstration: streamed text, thinking, tools with approvals, and an edit. (A made-up summary.)'

/** A text with every kind of Markdown that a reader may have to show. */
export const markdown = `### Markdown, as it streams

1. **Bold**, *italic*, \`code\`, and a [link](https://example.com)
2. A list inside a list
   - with a nested point
   - and another one

| what | where |
|---|---|
| text | one word at a time |
| tools | beside the text |

\`\`\`ts
const hello = (name: string): string => \`Hello, \${name}\`
\`\`\`

> A quotation, and then it is over.`

/** One pixel, as a PNG. */
export const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='

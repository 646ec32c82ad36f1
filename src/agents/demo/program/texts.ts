/** The first text of every demo, so that nobody takes it for a real agent. */
export const preface =
  'This is a demo: no model is behind it, no tool really runs, and its tokens and costs are made up.'

/** The first text of a conversation that is resumed. */
export const resumeNote = (id: string): string => `Continuing conversation ${id}.`

/** The tools that the demo pretends to have. */
export const toolNames = ['bash', 'read', 'edit', 'screenshot'] as const

/** The summary of every compaction. */
export const summary =
  'The person watched the demo: streamed text, thinking, tools with approvals, and an edit. (A made-up summary.)'

/** A text with every kind of Markdown that a reader may have to render. */
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

> A quotation ends this message.`

/** A PNG of one pixel. */
export const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='

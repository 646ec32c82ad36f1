/** Names that every object has. */
export const outsideNames = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf']

/** A value with so many levels. */
export const nested = (levels: number): unknown => {
  let value: unknown = 'deep'
  for (let level = 0; level < levels; level += 1) value = { inside: value }
  return value
}

/** Texts that took the Markdown lexer seconds to minutes, or overflowed its stack. */
export const pathologicalTexts = (repeats: number): string[] => [
  ...['_a*', '*a ', '~1. "', '`*a', '[a](', '![', '>', '> ', '- ', '1. ', '> - '].map((part) =>
    part.repeat(repeats),
  ),
  ...['- [ ] a\n', '- a\na\n', '|a|b|\n', '<!--', '&amp;'].map((part) => part.repeat(repeats)),
  `${'[a]('.repeat(repeats)})`,
  `- ${'a\n'.repeat(repeats)}`,
  `${'a'.repeat(repeats)}@`,
  `http://a.b${')'.repeat(repeats)}`,
  `${'*a '.repeat(repeats)}${' b*'.repeat(repeats)}`,
  `\`\`\`ini\n${'a'.repeat(repeats)}\n\`\`\``,
  `\`\`\`constructor\n${'\n'.repeat(repeats)}\n\`\`\``,
  Array.from({ length: 300 }, (_, level) => `${' '.repeat(level * 2)}- a\n`).join(''),
]

/** A line of Claude Code: a message of the model. */
export const message = (text: string, id: string) =>
  assistantLine({ id, content: [{ type: 'text', text }] })

/** Lines of Claude Code: a call of a tool, and its result, with one name for everything. */
export const toolCall = (name: string, { args = { [name]: name } as unknown } = {}) => [
  assistantLine({
    id: name,
    model: name,
    stop_reason: name,
    content: [{ type: 'tool_use', id: name, name, input: args }],
  }),
  {
    type: 'user',
    message: {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: name, content: name }],
    },
    tool_use_result: args,
    session_id: 's',
  },
  askUser(name),
  {
    type: 'result',
    subtype: 'success',
    session_id: 's',
    modelUsage: JSON.parse(`{"${name}":{"inputTokens":5,"outputTokens":5,"costUSD":0.1}}`),
  },
]

/** A question whose text is the name. */
const askUser = (name: string) =>
  assistantLine({
    id: `question-${name}`,
    content: [
      {
        type: 'tool_use',
        id: `ask-${name}`,
        name: 'AskUserQuestion',
        input: { questions: [{ question: name, options: [{ label: name }] }] },
      },
    ],
  })

const assistantLine = (fields: object) => ({
  type: 'assistant',
  message: {
    role: 'assistant',
    model: 'm',
    usage: { input_tokens: 5, output_tokens: 5 },
    ...fields,
  },
  session_id: 's',
})

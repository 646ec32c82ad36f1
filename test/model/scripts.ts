/** A content block as it is streamed: each string is one delta. */
export type Block =
  | { type: 'text'; deltas: string[] }
  | { type: 'thinking'; deltas: string[] }
  | { type: 'tool_use'; name: string; input: Record<string, unknown> }

/** Why the model stopped; by default `tool_use` if a tool was called, else `end_turn`. */
export type StopReason = 'end_turn' | 'max_tokens' | 'tool_use'

/**
 * What the model does with one request. All but `reply` and `error` stop inside their last block:
 * `overload` with an error event, `die` by closing the connection, `cut` by ending the body, and
 * `hang` by sending nothing more.
 */
export type Step =
  | { kind: 'reply'; blocks: Block[]; stopReason?: StopReason; delayMs?: number }
  | { kind: 'error'; status: number; body: ApiError }
  | { kind: 'overload'; blocks: Block[] }
  | { kind: 'die'; blocks: Block[] }
  | { kind: 'cut'; blocks: Block[] }
  | { kind: 'hang'; blocks: Block[]; delayMs?: number }

/** The body of an error response, and the data of an `error` event in a stream. */
export interface ApiError {
  type: 'error'
  error: { type: string; message: string }
}

/**
 * The answers of one scenario. `failures` come first, each once per server; then `steps`, one for
 * each request of the agent within a prompt.
 */
export interface Script {
  failures?: Step[]
  steps: Step[]
}

/** The overload as the API words it, over HTTP (529) and in the middle of a stream alike. */
export const overloaded: ApiError = {
  type: 'error',
  error: { type: 'overloaded_error', message: 'Overloaded' },
}

/** The file that the scenario `parallel` reads; a test puts it into the agent's directory. */
export const note = { name: 'note.txt', text: 'The note says hello.\n' }

/** What the scenario `patch` does to the note: it changes a word, and adds a file. */
const patch = [
  '*** Begin Patch',
  `*** Update File: ${note.name}`,
  '@@',
  '-The note says hello.',
  '+The note says goodbye.',
  '*** Add File: new.txt',
  '+brand new',
  '*** End Patch',
].join('\n')

/** The answer after the last step of a script, and to side calls that follow no script. */
export const nothingMore: Step = { kind: 'reply', blocks: [text('Nothing', ' more.')] }

/** The scripts by scenario, as a prompt names it after `scenario:`. */
export const scripts: Record<string, Script> = {
  text: { steps: [reply(text('Hello', ' from', ' the', ' model.'))] },
  thinking: {
    steps: [reply(thinking('Let me', ' think.'), text('I', ' thought.'))],
  },
  tool: {
    steps: [reply(text('Running', ' it.'), bash('echo hello')), reply(text('It', ' ran.'))],
  },
  // Four model calls.
  'three-tools': {
    steps: [
      reply(text('One.'), bash('echo 1')),
      reply(text('Two.'), bash('echo 2')),
      reply(text('Three.'), bash('echo 3')),
      reply(text('Four.')),
    ],
  },
  // A file of the project: a test writes what it does.
  script: {
    steps: [reply(bash('sh ./test.sh; echo over')), reply(text('It', ' ran.'))],
  },
  parallel: {
    steps: [
      reply(
        text('Three', ' at once.'),
        bash('sleep 0.3; echo slow'),
        bash('echo fast'),
        tool('read', { path: note.name }),
      ),
      reply(text('All', ' three', ' ended.')),
    ],
  },
  'tool-fail': {
    steps: [reply(bash('echo before; exit 3')), reply(text('It', ' failed.'))],
  },
  // The tool that Codex edits files with takes a text instead of JSON.
  patch: {
    steps: [reply(tool('apply_patch', { input: patch })), reply(text('It', ' is changed.'))],
  },
  // Both write the same file.
  'write-one': {
    steps: [reply(tool('write', { path: 'made.txt', content: 'one\n' })), reply(text('One.'))],
  },
  'write-two': {
    steps: [
      reply(tool('write', { path: 'made.txt', content: 'two and more\n' })),
      reply(text('Two.')),
    ],
  },
  // Qwen Code offers the tools of MCP servers only to who searches for them.
  'find-tool': {
    steps: [reply(tool('tool_search', { query: 'greet' })), reply(text('Found.'))],
  },
  retry: {
    failures: [failure(529, overloaded)],
    steps: [reply(text('Second', ' try.'))],
  },
  'retry-midstream': {
    failures: [{ kind: 'overload', blocks: [text('This', ' will be', ' withdrawn')] }],
    steps: [reply(text('Second', ' try.'))],
  },
  exhaust: { steps: [failure(529, overloaded)] },
  error: {
    steps: [
      failure(400, {
        type: 'error',
        error: { type: 'invalid_request_error', message: 'The request is not valid' },
      }),
    ],
  },
  drop: {
    failures: [{ kind: 'die', blocks: [text('Dropped', ' in the', ' middle')] }],
    steps: [reply(text('Second', ' try.'))],
  },
  'cut-short': {
    failures: [{ kind: 'cut', blocks: [text('Ended', ' without', ' an end')] }],
    steps: [reply(text('Second', ' try.'))],
  },
  slow: { steps: [{ kind: 'hang', blocks: [text(...numbered(3000))], delayMs: 20 }] },
  hang: { steps: [{ kind: 'hang', blocks: [text('Then', ' silence')] }] },
  // Each prompt gets the next answer; the promise is in the third, after one in a code block.
  loop: {
    failures: [
      reply(text('The first', ' part is done.')),
      reply(text('At the end I print:', '\n\n```\nLOOP_COMPLETE\n```\n')),
    ],
    steps: [reply(text('All parts', ' are done.', '\n\nLOOP', '_COMPLETE\n'))],
  },
  promise: { steps: [reply(text('Done.', '\n\nLOOP_COMPLETE'))] },
  // The account is used up; the error says when it is free again.
  'rate-limit': {
    failures: [
      failure(429, {
        type: 'error',
        error: { type: 'rate_limit_error', message: 'Usage limit reached. Try again in 1 s.' },
      }),
    ],
    steps: [reply(text('It', ' works again.', '\n\nLOOP_COMPLETE'))],
  },
  'slow-tool': {
    steps: [reply(bash('echo started; sleep 30')), reply(text('It', ' ended.'))],
  },
  unicode: {
    // The grinning face is split between its surrogates, the family between its joiners.
    steps: [reply(text('a\ud83d', '\ude00b ', '👨\u200d👩', '\u200d👧 ', 'line\u2028separator'))],
  },
}

function reply(...blocks: Block[]): Step {
  return { kind: 'reply', blocks }
}

function failure(status: number, body: ApiError): Step {
  return { kind: 'error', status, body }
}

function text(...deltas: string[]): Block {
  return { type: 'text', deltas }
}

function thinking(...deltas: string[]): Block {
  return { type: 'thinking', deltas }
}

function tool(name: string, input: Record<string, unknown>): Block {
  return { type: 'tool_use', name, input }
}

function bash(command: string): Block {
  return tool('bash', { command })
}

/** Enough words for a minute at 20 ms each: more than any test waits. */
function numbered(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `word${index + 1} `)
}

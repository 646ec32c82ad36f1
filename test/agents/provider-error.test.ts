import { expect, test } from 'vitest'
import { providerError } from '../../src/agents/provider-error.ts'

const overloaded = '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'

test.each([
  [`529 ${overloaded}`, 'Error 529: Overloaded'],
  [overloaded, 'Overloaded'],
  [`API Error: 529 ${overloaded} · check the status`, 'Error 529: Overloaded · check the status'],
  [`Compaction failed: 529 ${overloaded}`, 'Compaction failed: Error 529: Overloaded'],
  [JSON.stringify({ error: { message: JSON.stringify({ message: 'Quota' }) } }), 'Quota'],
  ['terminated', 'The connection to the provider was closed.'],
])(
  'an error with JSON or in machine words is a sentence, with the text beside: %s',
  (text, said) => {
    expect(providerError(text)).toEqual({ errorMessage: said, errorDetails: text })
  },
)

test.each([
  ['API Error: 400 messages.0: malformed', 'Error 400: messages.0: malformed'],
  ['API Error: 400', 'Error 400'],
  ['API Error: Connection refused', 'Connection refused'],
  ['Credit balance is too low', 'Credit balance is too low'],
  ['a {broken} text', 'a {broken} text'],
  ['{"type":"error"}', '{"type":"error"}'],
])('an error that is a sentence has no details: %s', (text, said) => {
  expect(providerError(text)).toEqual({ errorMessage: said })
})

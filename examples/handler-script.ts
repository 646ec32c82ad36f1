// Reads an agent's stream from stdin with a handler, and prints what it cost.
// Start it with `claude -p --output-format stream-json --verbose "Hello" | node examples/handler-script.ts`.
import { createStream, loadAgent } from 'sluice/decode'
import { createStreamOutput, handlerSink, type StreamHandler } from 'sluice/handler'
import { createLedger, insertUsageUpdates } from 'sluice/ledger'

const handler: StreamHandler = {
  onText: (text) => process.stdout.write(text),
  onToolCall: (name, _id, input) => console.log(`\n> ${name} ${JSON.stringify(input)}`),
  onToolResult: (_id, output, isError) => console.log(`${isError ? 'failed' : 'ok'}: ${output}`),
  onError: (error) => console.error(error),
  onComplete: ({ turns, costUsd }) => console.log(`\n${turns} turns, $${costUsd ?? 0}`),
}

const stream = createStream(await loadAgent('claude'))
const ledger = createLedger()
const output = createStreamOutput(handlerSink(handler), Date.now)
for await (const chunk of process.stdin)
  for (const event of insertUsageUpdates(ledger, stream.push(chunk))) output.push(event)
for (const event of insertUsageUpdates(ledger, stream.end())) output.push(event)
output.end()

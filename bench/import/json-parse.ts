// Adds up the tokens of all files below a directory: each line is read by readline and parsed.
import { createReadStream, globSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const [directory = ''] = process.argv.slice(2)
const seen = new Set<unknown>()
let output = 0
for (const path of globSync('**/*.jsonl', { cwd: directory }))
  for await (const text of createInterface({ input: createReadStream(join(directory, path)) })) {
    const { message } = JSON.parse(text)
    if (!message?.usage || seen.has(message.id)) continue
    seen.add(message.id)
    output += message.usage.output_tokens
  }
process.stdout.write(`${JSON.stringify({ totals: { outputTokens: output } })}\n`)

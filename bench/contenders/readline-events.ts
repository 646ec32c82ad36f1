import { loadAgent } from '../../src/agents/index.ts'
import { runByReadline } from './by-readline.ts'
import { charsInEvents } from './chars-in-events.ts'

// The same events as Sluice’s, from lines that `readline` found and `JSON.parse` read.
await runByReadline(async (agent) => {
  const decoder = (await loadAgent(agent)).createDecoder()
  let chars = 0
  let events = 0
  const take = (decoded: ReturnType<typeof decoder.push>) => {
    events += decoded.length
    chars += charsInEvents(decoded)
  }
  return {
    push: (line) => take(decoder.push(JSON.parse(line))),
    end() {
      take(decoder.end())
      return { chars, events }
    },
  }
})

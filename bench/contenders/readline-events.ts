import { loadAgent } from '../../src/agents/index.ts'
import { runByReadline } from './by-readline.ts'
import { charsInEvents } from './chars-in-events.ts'

// Makes the same events as Sluice, but with `readline` to find lines and `JSON.parse` for each line.
await runByReadline(async (agent) => {
  const decoder = (await loadAgent(agent)).createDecoder()
  let chars = 0
  let events = 0
  const count = (decoded: ReturnType<typeof decoder.push>) => {
    events += decoded.length
    chars += charsInEvents(decoded)
  }
  return {
    push: (line) => count(decoder.push(JSON.parse(line))),
    end() {
      count(decoder.end())
      return { chars, events }
    },
  }
})

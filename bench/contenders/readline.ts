import { runByReadline } from './by-readline.ts'
import { createCharCount } from './chars-in-lines.ts'

// What most readers do: `readline` to find lines, `JSON.parse` for each line, no events.
await runByReadline((agent) => {
  const charsIn = createCharCount(agent)
  let chars = 0
  return {
    push(line) {
      chars += charsIn(line)
    },
    end: () => ({ chars }),
  }
})

import { type Fill, jsonLine } from './file.ts'
import { createText } from './text.ts'

/** One character per delta, in the form of Pi 0.84: without usage or snapshots. */
export const tinyDeltas: Fill = (write, scale) => {
  const text = createText(5)
  for (let at = 0; at < 200 * scale; at += 1) {
    write(jsonLine({ type: 'message_start', message: { role: 'assistant', content: [] } }))
    for (const delta of text.deltas(3000, 1))
      write(
        jsonLine({
          type: 'message_update',
          assistantMessageEvent: { type: 'text_delta', contentIndex: 0, delta },
        }),
      )
    write(jsonLine({ type: 'message_end', message: { role: 'assistant', content: [] } }))
  }
}

/** The shortest possible lines, and empty ones. */
export const tinyLines: Fill = (write, scale) => {
  for (let at = 0; at < 200_000 * scale; at += 1)
    write('{"type":"turn_start"}\n\n{"type":"turn_end"}\n')
}

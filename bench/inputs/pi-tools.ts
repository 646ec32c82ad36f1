import { type Fill, jsonLine, type Write } from './file.ts'
import { createText } from './text.ts'

const start = (write: Write, toolCallId: string, toolName = 'bash') =>
  write(
    jsonLine({ type: 'tool_execution_start', toolCallId, toolName, args: { command: 'build' } }),
  )

const update = (write: Write, toolCallId: string, text: string, toolName = 'bash') =>
  write(
    jsonLine({
      type: 'tool_execution_update',
      toolCallId,
      toolName,
      args: { command: 'build' },
      partialResult: { content: [{ type: 'text', text }], details: {} },
    }),
  )

const end = (write: Write, toolCallId: string, text: string, toolName = 'bash') =>
  write(
    jsonLine({
      type: 'tool_execution_end',
      toolCallId,
      toolName,
      result: { content: [{ type: 'text', text }] },
      isError: false,
    }),
  )

const windowSize = 50 * 1024

/** A build that prints many lines. Each update has the whole output, later its last 50 KB. */
export const piToolUpdates: Fill = (write, scale) => {
  const text = createText(3)
  for (let tool = 0; tool < Math.ceil(4 * scale); tool += 1) {
    const id = `toolu_${tool}`
    let shown = ''
    start(write, id)
    for (let at = 0; at < 400; at += 1) {
      shown += `[${at}] ${text.units(300).replaceAll('\n', ' ')}\n`
      if (shown.length > windowSize)
        shown = shown.slice(shown.indexOf('\n', shown.length - windowSize) + 1)
      update(write, id, shown)
    }
    end(write, id, shown)
  }
}

/** Lines of one length, each with the whole output of a tool. */
export const hugeLines =
  (lineSize: number, totalSize: number): Fill =>
  (write, scale) => {
    const count = Math.max(1, Math.round((totalSize * scale) / lineSize))
    const text = createText(4).units(64 * 1024)
    // A UTF-16 unit of this text takes about 1.07 bytes.
    const units = lineSize / (Buffer.byteLength(JSON.stringify(text)) / text.length)
    const output = text.repeat(Math.ceil(units / text.length)).slice(0, units)
    for (let at = 0; at < count; at += 1) {
      start(write, `toolu_${at}`, 'export')
      update(write, `toolu_${at}`, output, 'export')
      end(write, `toolu_${at}`, '', 'export')
    }
  }

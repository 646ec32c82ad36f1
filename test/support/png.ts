import { crc32, deflateSync } from 'node:zlib'

/** A real picture of coloured noise, about three bytes a point; always the same. */
export const noisePng = (width: number, height: number): Buffer => {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2], 8) // eight bits each of red, green and blue
  const points = Buffer.alloc(height * (1 + 3 * width))
  let noise = 1
  for (let at = 0; at < points.length; at += 1) {
    noise = (Math.imul(noise, 1_664_525) + 1_013_904_223) >>> 0
    points[at] = at % (1 + 3 * width) === 0 ? 0 : noise >>> 24 // each row begins with its filter
  }
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(points)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

const chunk = (name: string, data: Buffer): Buffer => {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const named = Buffer.concat([Buffer.from(name), data])
  const check = Buffer.alloc(4)
  check.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, check])
}

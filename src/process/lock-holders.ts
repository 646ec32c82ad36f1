import { readFileSync } from 'node:fs'

/**
 * The processes that hold a lock on a file; a number below 1 if one does and the system does not say
 * which. Undefined where the system does not list locks.
 */
export const lockHolders = ({ dev, ino }: { dev: bigint; ino: bigint }): number[] | undefined => {
  let text: string
  try {
    text = readFileSync('/proc/locks', 'latin1')
  } catch {
    return undefined
  }
  const wanted = `${hexByte(majorOf(dev))}:${hexByte(minorOf(dev))}:${ino}`
  return text.split('\n').flatMap((line) => {
    // A second process that waits for the lock has an arrow before its line.
    const [, pid, file] = /^\d+: \w+ +\w+ +\w+ +(-?\d+) ([0-9a-f]+:[0-9a-f]+:\d+) /.exec(line) ?? []
    return file === wanted ? [Number(pid)] : []
  })
}

// How Linux packs the numbers of a device.
const majorOf = (dev: bigint): bigint => ((dev >> 8n) & 0xfffn) | ((dev >> 32n) & ~0xfffn)
const minorOf = (dev: bigint): bigint => (dev & 0xffn) | ((dev >> 12n) & ~0xffn)

const hexByte = (value: bigint): string => value.toString(16).padStart(2, '0')

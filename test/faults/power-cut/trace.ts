import type { Random } from '../random.ts'

/** The files of a log that matter after a power cut. */
export type DiskFile = 'database' | 'wal'

/** One thing that happened while a log was written, in order. */
export type Step =
  | { kind: 'write'; file: DiskFile; offset: number; bytes: Uint8Array }
  | { kind: 'resize'; file: DiskFile; size: number }
  /** A flush makes everything durable that was written before it began. */
  | { kind: 'flushBegin'; file: DiskFile; id: number }
  | { kind: 'flushEnd'; file: DiskFile; id: number }
  /** The log has confirmed the operation with this number. */
  | { kind: 'confirmed'; number: number }

/** What a log has written to its files, from a state that was durable. */
export interface Trace {
  start: Record<DiskFile, Uint8Array>
  steps: Step[]
  /** The first step at which the power may be cut. */
  begin: number
}

/** What a disk may hold after a power cut, and which operations were confirmed before it. */
export interface DiskState {
  database: Buffer
  wal: Buffer
  /** The highest number that was confirmed; -1 when none was. */
  confirmed: number
}

const sectorBytes = 512
const blockBytes = 4096

/** What a write has changed: the content of one sector, or the size. */
type Change = { write: number } & ({ sector: number; bytes: Buffer } | { size: number })

/** A file as programs see it, and as it is on the disk. */
const createFile = (start: Uint8Array) => {
  let current: Buffer = Buffer.from(start)
  let durable: Buffer = Buffer.from(start)
  /** What was written since the last flush. */
  let pending: Change[] = []
  let write = 0
  const marks = new Map<number, number>()

  const resize = (size: number): void => {
    const grown = Buffer.alloc(size)
    current.copy(grown)
    current = grown
    pending.push({ write, size })
  }
  const apply = (image: Buffer, changes: readonly Change[]): Buffer => {
    let result = image
    for (const change of changes)
      if ('size' in change) result = resized(result, change.size)
      else change.bytes.copy(result, change.sector * sectorBytes)
    return result
  }

  return {
    write(offset: number, bytes: Uint8Array): void {
      write += 1
      const end = offset + bytes.length
      if (end > current.length) resize(end)
      current.set(bytes, offset)
      const last = Math.floor((end - 1) / sectorBytes)
      for (let sector = Math.floor(offset / sectorBytes); sector <= last; sector += 1) {
        const from = sector * sectorBytes
        const content = Buffer.from(current.subarray(from, from + sectorBytes))
        pending.push({ write, sector, bytes: content })
      }
    },
    resize,
    flushBegin: (id: number): void => void marks.set(id, pending.length),
    flushEnd(id: number): void {
      const count = marks.get(id) ?? 0
      durable = apply(durable, pending.slice(0, count))
      pending = pending.slice(count)
      for (const [other, mark] of marks) marks.set(other, Math.max(0, mark - count))
    },
    /** The durable content with some of what was written later. */
    afterPowerCut(random: Random): Buffer {
      const share = random.pick([0, 0.1, 0.5, 0.9, 1])
      // Some disks write whole blocks: the sectors of one block then share their fate.
      const unit = random.pick([sectorBytes, blockBytes]) / sectorBytes
      const fates = new Map<string, boolean>()
      const isOnDisk = (change: Change): boolean => {
        const key = `${change.write} ${'size' in change ? 'size' : Math.floor(change.sector / unit)}`
        const fate = fates.get(key) ?? random.next() < share
        fates.set(key, fate)
        return fate
      }
      return apply(Buffer.from(durable), pending.filter(isOnDisk))
    },
  }
}

const resized = (image: Buffer, size: number): Buffer => {
  const result = Buffer.alloc(size)
  image.copy(result)
  return result
}

/** Disk states after power cuts at random steps, in the order of the steps. */
export const powerCuts = function* (
  { start, steps, begin }: Trace,
  random: Random,
  count: number,
): Generator<DiskState> {
  const anyStep = () => begin + random.below(steps.length + 1 - begin)
  const cuts = Array.from({ length: count }, anyStep).sort((left, right) => left - right)
  const files = { database: createFile(start.database), wal: createFile(start.wal) }
  let confirmed = -1
  let position = 0
  const replay = (step: Step): void => {
    if (step.kind === 'confirmed') {
      confirmed = Math.max(confirmed, step.number)
      return
    }
    const file = files[step.file]
    if (step.kind === 'write') file.write(step.offset, step.bytes)
    else if (step.kind === 'resize') file.resize(step.size)
    else file[step.kind](step.id)
  }
  for (const cut of cuts) {
    for (; position < cut; position += 1) {
      const step = steps[position]
      if (step) replay(step)
    }
    const [database, wal] = [files.database, files.wal].map((file) => file.afterPowerCut(random))
    if (database && wal) yield { database, wal, confirmed }
  }
}

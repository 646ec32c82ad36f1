import { statSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { modelPrice } from '../api/price.ts'
import type { ModelPrice } from '../api/types.ts'
import { writePrivate } from '../files/private-file.ts'
import { readSmallFile } from '../files/read-small-file.ts'
import { Fault } from '../shared/fault.ts'
import { ownValue } from '../shared/fields.ts'
import { reasonOf } from '../shared/reason.ts'
import { withoutSuffix } from './model-names.ts'

const priceFile = z.strictObject({ models: z.record(z.string(), modelPrice) })

/** Prices that the user has set, by model. They come before the price list. */
export interface OwnPrices {
  /** All of them. Throws a Fault if the file cannot be read. */
  all(): Readonly<Record<string, ModelPrice>>
  /** The price of a model by the name that an agent uses. */
  find(model: string): ModelPrice | undefined
  /** Sets the price of a model. */
  set(model: string, price: ModelPrice): void
  /** Removes the price of a model; false if it has none. */
  remove(model: string): boolean
}

/** Own prices in `prices.json` of a data directory. People may edit the file; it is read when it changes. */
export const openOwnPrices = (data: string): OwnPrices => {
  const path = join(data, 'prices.json')
  let stored: Readonly<Record<string, ModelPrice>> = {}
  let readState: string | undefined

  const all = (): Readonly<Record<string, ModelPrice>> => {
    const state = fileState(path)
    if (state === readState) return stored
    stored = readPrices(path)
    readState = state
    return stored
  }
  const write = (models: Record<string, ModelPrice>): void => {
    try {
      writePrivate(path, `${JSON.stringify({ models }, undefined, 2)}\n`)
    } catch (cause) {
      const message = `The prices cannot be written to ${path}: ${reasonOf(cause)}`
      throw new Fault('file_not_written', message, { cause })
    }
    readState = undefined
  }

  return {
    all,
    find(model) {
      const prices = all()
      const plain = withoutSuffix(model)
      return [model, plain, undated(plain)]
        .map((name) => ownValue(prices, name))
        .find((price) => price !== undefined)
    },
    set: (model, price) => write({ ...all(), [model]: modelPrice.parse(price) }),
    remove(model) {
      const { [model]: removed, ...others } = all()
      if (removed === undefined) return false
      write(others)
      return true
    },
  }
}

const undated = (model: string): string => model.replace(/[-@]\d{8}$/, '')

/** What differs between two versions of a file. */
const fileState = (path: string): string => {
  const stats = statSync(path, { throwIfNoEntry: false, bigint: true })
  return stats ? `${stats.ino} ${stats.size} ${stats.mtimeNs}` : 'none'
}

const readPrices = (path: string): Readonly<Record<string, ModelPrice>> => {
  try {
    return priceFile.parse(JSON.parse(readSmallFile(path) ?? '{"models":{}}')).models
  } catch (cause) {
    const reason = cause instanceof z.ZodError ? z.prettifyError(cause) : reasonOf(cause)
    throw new Fault('prices_unreadable', `The prices in ${path} cannot be read: ${reason}`, {
      cause,
    })
  }
}

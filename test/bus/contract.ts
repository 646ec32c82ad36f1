import { afterEach, describe } from 'vitest'
import type { Bus, BusReport } from '../../src/bus/bus.ts'
import { closeContract } from './contract/close.ts'
import { messagesContract } from './contract/messages.ts'
import { requestsContract } from './contract/requests.ts'

/** Opens a new bus. */
export type OpenBus = (options: { onError(report: BusReport): void }) => Bus | Promise<Bus>

/** Everything that a bus guarantees. Each implementation runs it. */
export const busContract = (name: string, open: OpenBus) =>
  describe(`bus: ${name}`, () => {
    const opened: Bus[] = []
    const start = async () => {
      const reports: BusReport[] = []
      const bus = await open({ onError: (report) => void reports.push(report) })
      opened.push(bus)
      return { bus, reports }
    }
    afterEach(async () => {
      await Promise.all(opened.splice(0).map((bus) => bus.close()))
    })

    messagesContract(start)
    requestsContract(start)
    closeContract(start)
  })

import type { AgentEvent } from '../events/event.ts'
import { account } from '../ledger/account.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { createTurns, turnStateEvents } from '../turns/index.ts'

/** Puts behind an agent’s events what follows from them: the account, and the state of the turn. */
export const createAnnotator = (ledger: Ledger) => {
  const turns = createTurns()
  return (events: readonly AgentEvent[]): AgentEvent[] =>
    account(ledger, events).flatMap((event) => {
      const { moves, violation } = turns.push(event)
      const told = [event, ...turnStateEvents(moves)]
      return violation === undefined ? told : [...told, outOfOrder(violation)]
    })
}

const outOfOrder = (message: string): AgentEvent => ({
  type: 'error',
  code: 'out_of_order',
  message,
  fatal: false,
})

import { createStore, type Store } from '../lib/store.ts'

/** A remark that goes away by itself. */
export interface Toast {
  readonly id: number
  readonly text: string
  readonly isError: boolean
  readonly undo?: () => void
}

export interface Toasts extends Store<readonly Toast[]> {
  show(text: string, options?: { isError?: boolean; undo?: () => void }): void
  /** Says what went wrong. */
  showError(doing: string): (cause: unknown) => void
  dismiss(id: number): void
}

const shownMs = 8000
const limit = 4

export const createToasts = (reasonOf: (cause: unknown) => string): Toasts => {
  const store = createStore<readonly Toast[]>([])
  let last = 0
  const dismiss = (id: number) => store.update((all) => all.filter((each) => each.id !== id))
  const say: Toasts['show'] = (text, { isError = false, undo } = {}) => {
    last += 1
    const id = last
    store.update((all) => [...all, { id, text, isError, ...(undo && { undo }) }].slice(-limit))
    setTimeout(() => dismiss(id), shownMs)
  }
  return {
    ...store,
    show: say,
    dismiss,
    showError: (doing) => (cause) => say(`${doing}: ${reasonOf(cause)}`, { isError: true }),
  }
}

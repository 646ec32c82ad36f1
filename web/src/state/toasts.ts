import { reasonOf } from '../../../src/shared/reason.ts'
import { createStore, type Store } from '../lib/store.ts'

/** A message that disappears by itself. */
export interface Toast {
  readonly id: number
  readonly text: string
  readonly isError: boolean
  readonly undo?: () => void
}

export interface ToastOptions {
  isError?: boolean
  /** Shows a button that undoes what the message reports. */
  undo?: () => void
}

/** The messages that are shown now, oldest first. */
export interface Toasts extends Store<readonly Toast[]> {
  show(text: string, options?: ToastOptions): void
  /** Returns an error handler that shows what failed, and why. */
  showError(failure: string): (cause: unknown) => void
  dismiss(id: number): void
}

const shownMs = 8000
const limit = 4

export const createToasts = (): Toasts => {
  const store = createStore<readonly Toast[]>([])
  let last = 0
  const dismiss = (id: number) => store.update((all) => all.filter((each) => each.id !== id))
  const show: Toasts['show'] = (text, { isError = false, undo } = {}) => {
    last += 1
    const id = last
    store.update((all) => [...all, { id, text, isError, ...(undo && { undo }) }].slice(-limit))
    setTimeout(() => dismiss(id), shownMs)
  }
  return {
    ...store,
    show,
    dismiss,
    showError: (failure) => (cause) => show(`${failure}: ${reasonOf(cause)}`, { isError: true }),
  }
}

import type { ApiError } from '../api-error.ts'

/** How a stream stands. */
export type StreamState =
  | { readonly status: 'connecting'; readonly attempt: number }
  /** Events come as they happen. */
  | { readonly status: 'live' }
  /** The connection is gone; it will be tried again. */
  | {
      readonly status: 'waiting'
      /** Which try comes next, from 1. */
      readonly attempt: number
      readonly delayMs: number
      readonly error: ApiError
    }
  /** It will not be tried again: it was closed, or the error says why. */
  | { readonly status: 'stopped'; readonly error?: ApiError }

/**
 * A connection that is lost is found within three seconds, and a dial ends after one. A login that is refused
 * is tried again: the servers may have been restarted with an older list of users.
 */
export const patience = {
  maxReconnectAttempts: -1,
  ignoreAuthErrorAbort: true,
  reconnectTimeWait: 100,
  reconnectJitter: 100,
  timeout: 1000,
  pingInterval: 1000,
  maxPingOut: 2,
} as const

/**
 * A connection that is lost is found within three seconds, and a dial ends after one. A login that is refused later
 * is tried again, too: users and passwords change while servers reload.
 */
export const reconnectOptions = {
  maxReconnectAttempts: -1,
  ignoreAuthErrorAbort: true,
  reconnectTimeWait: 100,
  reconnectJitter: 100,
  timeout: 1000,
  pingInterval: 1000,
  maxPingOut: 2,
} as const

/** A connection that is lost is found within three seconds, and a dial ends after one. */
export const reconnectOptions = {
  maxReconnectAttempts: -1,
  reconnectTimeWait: 100,
  reconnectJitter: 100,
  timeout: 1000,
  pingInterval: 1000,
  maxPingOut: 2,
} as const

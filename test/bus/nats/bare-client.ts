import { connect, type NatsConnection } from '@nats-io/transport-node'
import { onTestFinished } from 'vitest'

/** A NATS client that knows nothing of Sluice. */
export const connectBare = async (url: string): Promise<NatsConnection> => {
  const client = await connect({ servers: [url] })
  onTestFinished(() => client.close())
  return client
}

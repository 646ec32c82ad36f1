/** Events one by one, however many came at once. */
export async function* each<Event>(batches: AsyncIterable<Event[]>): AsyncGenerator<Event, void> {
  for await (const batch of batches) yield* batch
}

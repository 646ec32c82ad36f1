export type { FeedFigures } from './figures.ts'
export { createStreams, type StreamRequest, type Streams, type StreamsOptions } from './streams.ts'

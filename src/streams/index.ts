export type { FeedFigures } from './figures.ts'
export { createFeeds, type Feeds, type FeedsOptions, type StreamRequest } from './streams.ts'

export { createFeeds, type Feeds, type FeedsOptions, type StreamRequest } from './feeds.ts'
export type { FeedFigures } from './figures.ts'

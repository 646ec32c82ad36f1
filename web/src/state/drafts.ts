/** An image that goes along with what is said. */
export interface DraftImage {
  readonly data: string
  readonly mimeType: string
}

/** What was typed and not sent, by session; and what was sent before. */
export const createDrafts = (storage: Storage) => {
  const images = new Map<string, readonly DraftImage[]>()
  /** As they are in this tab: the storage may be full, or another tab’s words in it. */
  const texts = new Map<string, string>()

  const store = (key: string, value: string) => {
    try {
      storage.setItem(key, value)
    } catch {
      // It is full, or there is none: then a reload forgets.
    }
  }

  return {
    text: (id: string): string => texts.get(id) ?? storage.getItem(draftKey(id)) ?? '',
    store(id: string, text: string): void {
      texts.set(id, text)
      if (text === '') storage.removeItem(draftKey(id))
      else store(draftKey(id), text)
    },
    images: (id: string): readonly DraftImage[] => images.get(id) ?? [],
    storeImages: (id: string, kept: readonly DraftImage[]): void => void images.set(id, kept),
    /** What was said before, newest first. */
    history: (): readonly string[] => readHistory(storage),
    addToHistory(text: string): void {
      const before = readHistory(storage).filter((each) => each !== text)
      store(historyKey, JSON.stringify([text, ...before].slice(0, historyLimit)))
    },
  }
}
export type Drafts = ReturnType<typeof createDrafts>

const historyKey = 'sluice.history'
const historyLimit = 100
const draftKey = (id: string) => `sluice.draft.${id}`

const readHistory = (storage: Storage): string[] => {
  try {
    const kept: unknown = JSON.parse(storage.getItem(historyKey) ?? '[]')
    return Array.isArray(kept) ? kept.filter((each) => typeof each === 'string') : []
  } catch {
    return []
  }
}

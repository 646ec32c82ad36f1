import { useState } from 'react'
import { useApp } from '../app/use-app.ts'
import type { DraftFile, DraftImage } from '../state/drafts.ts'
import { readFiles } from './read-files.ts'

/** What is sent with a message. */
export interface Attached {
  readonly images: readonly DraftImage[]
  readonly files: readonly DraftFile[]
}

export interface DraftAttachments extends Attached {
  /** Attaches files, and says which are left out. */
  attach(files: readonly File[]): void
  detachImage(index: number): void
  detachFile(index: number): void
  /** Removes everything, and returns it as it is sent. */
  take(): Attached
  /** Puts back what was not sent. */
  restore(unsent: Attached): void
}

const limit = 20

/** The images and files of a session’s draft. */
export const useAttachments = (sessionId: string): DraftAttachments => {
  const { drafts, toasts } = useApp()
  const [attached, setState] = useState<Attached>(() => drafts.attached(sessionId))
  const set = (next: Attached) => {
    const limited = { images: next.images.slice(0, limit), files: next.files.slice(0, limit) }
    setState(limited)
    drafts.storeAttached(sessionId, limited)
  }
  const add = (before: Attached, after: Attached) =>
    set({
      images: [...before.images, ...after.images],
      files: [...before.files, ...after.files],
    })
  const without = <Item>(items: readonly Item[], index: number) =>
    items.filter((_, other) => other !== index)
  return {
    ...attached,
    attach(given) {
      readFiles(given).then(({ problems, ...read }) => {
        for (const problem of problems) toasts.show(problem)
        add(drafts.attached(sessionId), read)
      }, toasts.showError('Could not read the file'))
    },
    detachImage: (index) => set({ ...attached, images: without(attached.images, index) }),
    detachFile: (index) => set({ ...attached, files: without(attached.files, index) }),
    take() {
      set({ images: [], files: [] })
      return attached
    },
    restore: (unsent) => add(unsent, drafts.attached(sessionId)),
  }
}

/** Attachments as a request has them. */
export const bodyOf = ({ images, files }: Attached) => ({
  ...(images.length > 0 && { images: [...images] }),
  ...(files.length > 0 && { files: files.map(({ name, data }) => ({ name, data })) }),
})

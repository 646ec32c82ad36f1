import { useEffect, useState } from 'react'

/** Accepts files dropped anywhere on the page; true while files are dragged over it. */
export const useDroppedFiles = (onFiles: (files: readonly File[]) => void): boolean => {
  const [isDraggedOver, setDraggedOver] = useState(false)
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return
      event.preventDefault() // or the browser would open them
      setDraggedOver(true)
    }
    const leave = (event: DragEvent) => event.relatedTarget === null && setDraggedOver(false)
    const drop = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return
      event.preventDefault()
      setDraggedOver(false)
      onFiles([...event.dataTransfer.files])
    }
    document.addEventListener('dragover', over)
    document.addEventListener('dragleave', leave)
    document.addEventListener('drop', drop)
    return () => {
      document.removeEventListener('dragover', over)
      document.removeEventListener('dragleave', leave)
      document.removeEventListener('drop', drop)
    }
  })
  return isDraggedOver
}

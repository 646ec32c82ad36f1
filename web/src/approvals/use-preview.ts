import { useEffect, useState } from 'react'
import type { ApprovalPreview } from '../../../src/api/index.ts'
import { useApp } from '../app/use-app.ts'
import { createResource, type Loaded } from '../lib/resource.ts'
import { useStore } from '../lib/use-store.ts'
import type { CardApproval } from './approval-card.tsx'

/** What a request would do, as the server computes it from the request and the files on disk. */
export const usePreview = ({ approvalId, hash }: CardApproval): Loaded<ApprovalPreview> => {
  const { client } = useApp()
  const [resource] = useState(() =>
    createResource(async () => {
      const preview = await client.approvals.preview(approvalId)
      if (preview.hash !== hash) throw new Error('The request has changed.')
      return preview
    }),
  )
  useEffect(() => resource.load(), [resource])
  return useStore(resource)
}

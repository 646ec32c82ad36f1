import { useEffect } from 'react'
import type { AccessInfo } from '../../../src/api/index.ts'
import { useStore } from '../lib/use-store.ts'
import { useApp } from './use-app.ts'

/** Whether this browser may do what needs a scope. True until the server has answered. */
export const useMay = (scope: AccessInfo['scopes'][number]): boolean => {
  const { access } = useApp()
  const { value } = useStore(access)
  useEffect(() => {
    const { value: known, isLoading } = access.get()
    if (known === undefined && !isLoading) access.load()
  }, [access])
  return value === undefined || value.scopes.includes(scope)
}

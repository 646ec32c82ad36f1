import { createContext, useContext } from 'react'
import type { AppState } from './app-state.ts'

const Context = createContext<AppState | undefined>(undefined)
export const AppProvider = Context.Provider

export const useApp = (): AppState => {
  const app = useContext(Context)
  if (!app) throw new Error('useApp needs an AppProvider around it')
  return app
}

import { createContext, useContext } from 'react'
import type { App } from './app.ts'

const Context = createContext<App | undefined>(undefined)
export const AppProvider = Context.Provider

export const useApp = (): App => {
  const app = useContext(Context)
  if (!app) throw new Error('not inside the app')
  return app
}

import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createApp } from './app/app.ts'
import { AppProvider } from './app/context.ts'
import { watchNeeds } from './app/needs.ts'
import { Page } from './app/page.tsx'
import './style/base.css'
import './style/parts.css'
import './style/state.css'
import './style/overlay.css'

const root = document.getElementById('root')
if (!root) throw new Error('no place for the app')
const app = createApp(window)
watchNeeds(app, window)
createRoot(root).render(
  <StrictMode>
    <AppProvider value={app}>
      <Page />
    </AppProvider>
  </StrictMode>,
)

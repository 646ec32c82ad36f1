import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createAppState } from './app/app-state.ts'
import { AppProvider } from './app/context.ts'
import { watchNeeds } from './app/needs.ts'
import { Page } from './app/page.tsx'
import './style/base.css'
import './style/parts.css'
import './style/state.css'
import './style/overlay.css'

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root element')
const app = createAppState(window)
watchNeeds(app, window)
createRoot(root).render(
  <StrictMode>
    <AppProvider value={app}>
      <Page />
    </AppProvider>
  </StrictMode>,
)

import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { AppRoot } from './app/app-root.tsx'
import { createAppState } from './app/app-state.ts'
import { showApprovalAlerts } from './app/approval-alerts.ts'
import { showBudgetAlerts } from './app/budget-alerts.ts'
import { AppProvider } from './app/use-app.ts'
import './style/base.css'
import './style/parts.css'
import './style/state.css'
import './style/overlay.css'
import './style/touch.css'

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root element')
const app = createAppState(window)
showApprovalAlerts(app, window)
showBudgetAlerts(app, window)
createRoot(root).render(
  <StrictMode>
    <AppProvider value={app}>
      <AppRoot />
    </AppProvider>
  </StrictMode>,
)

import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { reasonOf } from '../../../src/shared/reason.ts'
import { AppProvider } from '../app/use-app.ts'
import { ShareScreen } from './share-screen.tsx'
import { createSharedApp } from './shared-app.ts'
import { readSharedSession } from './shared-session.ts'
import '../style/base.css'
import '../style/parts.css'
import '../style/state.css'
import '../style/overlay.css'
import '../style/touch.css'

const element = document.getElementById('root')
if (!element) throw new Error('share.html has no #root element')
const root = createRoot(element)

readSharedSession(document).then(
  (session) => {
    document.title = session.name
    root.render(
      <StrictMode>
        <AppProvider value={createSharedApp(session)}>
          <ShareScreen session={session} />
        </AppProvider>
      </StrictMode>,
    )
  },
  (cause: unknown) =>
    root.render(
      <main className="empty-page">
        <h1>This page cannot be shown</h1>
        <p>Its session cannot be read: {reasonOf(cause)}</p>
      </main>,
    ),
)

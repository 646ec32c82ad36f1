// Follows one session in a page. The page talks to its own origin; the development server passes /api
// on to Sluice and adds the token there, so the token never reaches the browser.
import { createClient } from 'sluice/client'
import { type Entry, entriesOf } from 'sluice/transcript'

const element = (selector: string): Element => {
  const found = document.querySelector(selector)
  if (!found) throw new Error(`${selector} is missing`)
  return found
}

const lineOf = (entry: Entry): string => {
  if (entry.kind === 'tool') return `tool: ${entry.toolName}`
  if (entry.kind === 'notice') return entry.text
  const texts = entry.message.content.map((block) => (block.type === 'text' ? block.text : ''))
  return `${entry.message.role}: ${texts.join('')}`
}

const client = createClient({ url: location.origin })
const [project] = await client.projects.list()
if (!project) throw new Error('Create a project in the web app first.')
const { id } = await client.sessions.create({ projectId: project.id, agent: 'demo' })

const transcript = client.follow(id)
transcript.subscribe(() => {
  const { isStreaming } = transcript.get()
  element('#text').textContent = entriesOf(transcript.get()).map(lineOf).join('\n')
  element('#status').textContent = isStreaming ? 'working' : 'idle'
})

element('#prompt').addEventListener('submit', (event) => {
  event.preventDefault()
  if (!(event.target instanceof HTMLFormElement)) return
  void client.sessions.prompt(id, String(new FormData(event.target).get('text')))
})

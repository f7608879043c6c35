import { CodeBlock } from './code-block.tsx'
import { apiUrl } from '../api/api-url.ts'

/** A command that works as soon as the variable has a key. */
export function FirstCall({ model = 'sandbox/echo' }: { model?: string }) {
  return <CodeBlock label="the command" text={chatCommand(model)} />
}

export function chatCommand(model: string): string {
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello, gatehouse!' }] })
  return callCommand('/v3/chat/completions', body)
}

export function callCommand(path: string, body: string): string {
  return `curl ${apiUrl()}${path} \\
  -H "Authorization: Bearer $GATEHOUSE_API_KEY" -H 'Content-Type: application/json' \\
  -d '${body.replaceAll("'", "'\\''")}'`
}

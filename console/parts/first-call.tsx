import { apiUrl } from '../api/api-url.ts'
import { callCommand } from '../api/call-command.ts'
import { CodeBlock } from './code-block.tsx'

/** A command that works as soon as the variable has a key. */
export function FirstCall({ model = 'sandbox/echo' }: { model?: string }) {
  return <CodeBlock label="the command" text={chatCommand(model)} />
}

export function chatCommand(model: string): string {
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello, gatehouse!' }] })
  return callCommand(`${apiUrl()}/v3/chat/completions`, body)
}

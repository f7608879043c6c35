import { useState } from 'preact/hooks'
import type { McpToolList } from '../../../src/contract/admin/mcp-servers.ts'
import { pathTo, sendJson } from '../../api/client.ts'
import { useSend } from '../../api/use-send.ts'
import { CodeBlock } from '../../parts/code-block.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { AreaField, TextField } from '../../parts/fields.tsx'
import { Failure } from '../../parts/notice.tsx'

type Props = { server: string; tool: McpToolList['items'][number]; onClose: () => void }

/** Really calls the tool, as the person who has signed in. */
export function TryTool({ server, tool: { name, input_schema }, onClose }: Props) {
  const [project, setProject] = useState('personal')
  const [written, setWritten] = useState(() => JSON.stringify(exampleOf(input_schema), null, 2))
  const [result, setResult] = useState<unknown>()
  const { error, isSending, send } = useSend()
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    void send(async () => {
      setResult(undefined)
      const params = { name, arguments: argumentsIn(written) }
      const path = pathTo('/admin/playground/mcp/{server_name}', { server_name: server }, { project })
      setResult(await sendJson('POST', path, { jsonrpc: '2.0', id: '1', method: 'tools/call', params }))
    })
  }
  return (
    <Dialog title={`Try ${name}`} onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        <p class="faint">The server is really called, as you. The project pays, and the request log has the call.</p>
        <TextField label="Project that pays, by its id" isRequired value={project} set={setProject} />
        <AreaField label="Arguments, as JSON" rows={8} value={written} set={setWritten} />
        <button type="submit" class="primary" disabled={isSending}>
          Call the tool
        </button>
        <Failure error={error} />
      </form>
      {result !== undefined && <CodeBlock label="the answer" text={JSON.stringify(result, null, 2)} />}
    </Dialog>
  )
}

/** The names of what the tool needs, to be filled in. */
function exampleOf({ required = [], properties }: Record<string, unknown>): Record<string, unknown> {
  const known = (properties ?? {}) as Readonly<Record<string, { type?: string }>>
  const names = Array.isArray(required) ? required.map(String) : []
  return Object.fromEntries(names.map((name) => [name, known[name]?.type === 'string' ? '' : null]))
}

function argumentsIn(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch (error) {
    throw new Error(`The arguments are no JSON. ${(error as Error).message}`)
  }
}

import { useState } from 'preact/hooks'
import type { McpToolList } from '../../../src/contract/admin/mcp-servers.ts'
import { pathTo, sendJson } from '../../api/client.ts'
import { useSend } from '../../api/use-send.ts'
import { CodeBlock } from '../../parts/code-block.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { BilledTo } from '../../parts/billed-to.tsx'
import { AreaField } from '../../parts/fields.tsx'
import { Failure } from '../../parts/notice.tsx'
import { PERSONAL } from '../../parts/payers.ts'

type Props = { server: string; tool: McpToolList['items'][number]; onClose: () => void }

/** Really calls the tool, as the person who has signed in. */
export function TryTool({ server, tool: { name, input_schema }, onClose }: Props) {
  const [project, setProject] = useState(PERSONAL)
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
        <p class="faint">The call is real: the server runs the tool for you. It is billed, and appears in Requests.</p>
        <AreaField label="Arguments, as JSON" rows={8} value={written} set={setWritten} />
        <BilledTo value={project} set={setProject} />
        <button type="submit" class="primary" disabled={isSending}>
          Call tool
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
    throw new Error(`The arguments are not valid JSON. ${(error as Error).message}`)
  }
}

import { useState } from 'preact/hooks'
import type { McpServerBody } from '../../../src/contract/admin/mcp-servers.ts'
import { pathTo, sendJson } from '../../api/client.ts'
import { may } from '../../api/session.ts'
import { useSend } from '../../api/use-send.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { FactGroups } from '../../parts/facts.tsx'
import { money } from '../../parts/format.ts'
import { Failure } from '../../parts/notice.tsx'
import { toast } from '../../parts/toast.tsx'
import { TwoSteps } from '../../parts/two-steps.tsx'
import { EditServer } from './edit-server.tsx'
import { ServerTools } from './server-tools.tsx'

type Props = { server: McpServerBody; onClose: () => void; onChanged: () => void }

/** One server: where it is, who may use it, and its tools. */
export function ServerDetail({ server, onClose, onChanged }: Props) {
  const [isChanging, setChanging] = useState(false)
  const { error, send } = useSend()
  const { name, owned_by, active } = server
  const isFixed = !may('config.write') || owned_by === 'file'
  const remove = () =>
    void send(async () => {
      await sendJson('DELETE', pathTo('/admin/mcp/servers/{server_name}', { server_name: name }))
      toast(`${name} removed.`)
      onChanged()
      onClose()
    })
  if (isChanging) return <EditServer before={server} onClose={() => setChanging(false)} onChanged={onChanged} />
  return (
    <Dialog title={name} onClose={onClose} isDrawer>
      {owned_by === 'file' && (
        <p class="notice">This server is set in the config file. Change it there, then reload the configuration.</p>
      )}
      {!active && (
        <p class="notice">No call uses this server: the config file has one of the same name, or it is damaged.</p>
      )}
      <FactGroups of={factsOf(server)} />
      {active && <ServerTools server={name} />}
      {!isFixed && (
        <div class="actions">
          <button type="button" onClick={() => setChanging(true)}>
            Change
          </button>
          <TwoSteps label="Remove" sure="Remove server" onSure={remove} />
        </div>
      )}
      <Failure error={error} />
    </Dialog>
  )
}

function factsOf({ name, url, has_credential, header, applies_to, price_per_call, timeout_seconds }: McpServerBody) {
  return {
    Server: {
      Address: url,
      Credential: has_credential ? `sent as ${header ?? 'a bearer token'}` : 'none',
      'Server label in chats': <code>{name}</code>,
      'For MCP clients': <code>/v3/mcp/{name}</code>,
    },
    Use: {
      'Who may use it': applies_to.join(', '),
      'Price per call': money(price_per_call),
      'Time limit': `${timeout_seconds} s`,
    },
  }
}

import { useState } from 'preact/hooks'
import type { McpServerBody } from '../../../src/contract/admin/mcp-servers.ts'
import { pathTo, sendJson } from '../../api/client.ts'
import { may } from '../../api/session.ts'
import { apiUrl } from '../../api/api-url.ts'
import { useSend } from '../../api/use-send.ts'
import { ActionBar } from '../../parts/action-bar.tsx'
import { ConfirmStep } from '../../parts/confirm-step.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { breakable, FactGroups } from '../../parts/facts.tsx'
import { money } from '../../parts/format.ts'
import { Failure } from '../../parts/notice.tsx'
import { toast } from '../../parts/toast.tsx'
import { useHolderNames } from '../../parts/use-names.ts'
import { EditServer } from './edit-server.tsx'
import { originOf, toolsText } from './columns.tsx'
import { ServerTools } from './server-tools.tsx'

type Props = { server: McpServerBody; onClose: () => void; onChanged: () => void }

/** One server: where it is, who may use it, and its tools. */
export function ServerDetail({ server, onClose, onChanged }: Props) {
  const [isEditing, setEditing] = useState(false)
  const holderName = useHolderNames()
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
  if (isEditing) return <EditServer before={server} onClose={() => setEditing(false)} onChanged={onChanged} />
  return (
    <Dialog title={name} onClose={onClose} isDrawer>
      {!isFixed && (
        <ActionBar
          actions={[
            { title: 'Edit', icon: 'edit', run: () => setEditing(true) },
            { title: 'Remove', icon: 'remove', isDanger: true, form: <ConfirmStep {...REMOVE} onSure={remove} /> },
          ]}
        />
      )}
      <Failure error={error} />
      {owned_by === 'file' && (
        <p class="notice">This server is set in the config file. Change it there, then reload the configuration.</p>
      )}
      {!active && (
        <p class="notice">
          Not in use: the config file has a server with the same name, or the stored credential cannot be read.
        </p>
      )}
      <FactGroups of={factsOf(server, holderName)} />
      {active && <ServerTools server={name} />}
    </Dialog>
  )
}

const REMOVE = { text: 'Models and agents cannot call its tools any more.', sure: 'Remove server' }

function factsOf(server: McpServerBody, holderName: (appliesTo: string) => string) {
  const { name, url, has_credential, header, applies_to, price_per_call, timeout_seconds, tools } = server
  return {
    Server: {
      Address: url,
      Credential: has_credential ? `sent as ${header ?? 'a bearer token'}` : 'none',
      Timeout: `${timeout_seconds} s`,
      'Set in': originOf(server),
    },
    Access: {
      'Available to': applies_to.map(holderName).join(', '),
      'Allowed tools': toolsText(tools),
      'Price per call': money(price_per_call),
    },
    'How to use it': {
      'In requests': <code>{`"server_label": "${name}"`}</code>,
      'MCP clients': <code>{breakable(`${apiUrl()}/v3/mcp/${name}`)}</code>,
    },
  }
}

import { useState } from 'preact/hooks'
import type { McpServerBody } from '../../../src/contract/admin/mcp-servers.ts'
import { may } from '../../api/session.ts'
import { usePages } from '../../api/use-pages.ts'
import { adminCommand } from '../../parts/admin-command.ts'
import { CodeBlock } from '../../parts/code-block.tsx'
import { money } from '../../parts/format.ts'
import { Icon } from '../../parts/icons/icon.tsx'
import { Empty } from '../../parts/notice.tsx'
import { ScreenHead } from '../../parts/screen-head.tsx'
import type { Column } from '../../parts/table/column.ts'
import { PagedTable } from '../../parts/table/paged-table.tsx'
import { useQuery } from '../../parts/use-query.ts'
import { EditServer } from './edit-server.tsx'
import { ServerDetail } from './server-detail.tsx'

/** MCP servers behind the gateway: their tools, and who may use them. */
export default function Mcp() {
  const { change } = useQuery()
  const [isCreating, setCreating] = useState(false)
  const pages = usePages('/admin/mcp/servers', {})
  const show = (wanted: string) => {
    const found = pages.items.find((server) => idOf(server) === wanted)
    return (
      found && <ServerDetail server={found} onClose={() => change({ server: undefined })} onChanged={pages.reload} />
    )
  }
  return (
    <>
      <ScreenHead title="MCP servers" />
      <div class="section-head">
        <p class="faint">Models call the tools of these servers in chats, and agents at /v3/mcp/ and the name.</p>
        {may('config.write') && (
          <div class="actions">
            <button type="button" class="primary" onClick={() => setCreating(true)}>
              <Icon name="add" /> New server
            </button>
          </div>
        )}
      </div>
      <PagedTable
        label="MCP servers"
        columns={COLUMNS}
        keyOf={idOf}
        pages={pages}
        noun="server"
        opens={{ as: 'server', show }}
      >
        <NoServers />
      </PagedTable>
      {isCreating && <EditServer onClose={() => setCreating(false)} onChanged={pages.reload} />}
    </>
  )
}

/** A server of the config file hides a stored one of the same name, and both are listed. */
function idOf({ name, owned_by }: McpServerBody): string {
  return owned_by === 'file' ? `${name} (config file)` : name
}

const COLUMNS: readonly Column<McpServerBody>[] = [
  { name: 'name', title: 'Name', sort: ({ name }) => name, cell: ({ name }) => name },
  { name: 'url', title: 'Address', isMain: true, cell: ({ url }) => url },
  { name: 'tools', title: 'Tools', cell: ({ tools }) => toolsText(tools) },
  { name: 'callers', title: 'For', cell: ({ applies_to }) => applies_to.join(', ') },
  { name: 'price', title: 'Per call', isMinor: true, cell: ({ price_per_call }) => money(price_per_call) },
  {
    name: 'origin',
    title: 'Set in',
    isMinor: true,
    cell: ({ owned_by, active }) => {
      if (!active) return <span class="status warn">not in use</span>
      return owned_by === 'file' ? 'config file' : 'console or API'
    },
  },
]

function toolsText({ allow, deny }: McpServerBody['tools']): string {
  const denied = deny.length === 0 ? '' : `, without ${deny.join(', ')}`
  return `${allow === null ? 'all' : allow.join(', ') || 'none'}${denied}`
}

const EXAMPLE = { name: 'tickets', url: 'https://mcp.example.com/mcp', applies_to: ['project:support'] }

function NoServers() {
  return (
    <Empty title="No MCP servers yet">
      <p>
        A server has tools that models and agents can call through the gateway, with its limits, log and price. Add one
        here, in the config file, or by the admin API:
      </p>
      <CodeBlock label="the command" text={adminCommand('/admin/mcp/servers', EXAMPLE)} />
    </Empty>
  )
}

import { useMemo } from 'preact/hooks'
import type { McpServerBody } from '../../../src/contract/admin/mcp-servers.ts'
import { may } from '../../api/session.ts'
import { usePages } from '../../api/use-pages.ts'
import { adminCommand } from '../../parts/admin-command.ts'
import { CodeBlock } from '../../parts/code-block.tsx'
import { Icon } from '../../parts/icons/icon.tsx'
import { Empty } from '../../parts/notice.tsx'
import { ScreenHead } from '../../parts/screen-head.tsx'
import { ColumnChoice, useColumns } from '../../parts/table/column-choice.tsx'
import { PagedTable } from '../../parts/table/paged-table.tsx'
import { useHolderNames } from '../../parts/use-names.ts'
import { useDialog, useQuery } from '../../parts/use-query.ts'
import { columnsFor } from './columns.tsx'
import { EditServer } from './edit-server.tsx'
import { ServerDetail } from './server-detail.tsx'

/** MCP servers behind the gateway: their tools, and who may use them. */
export default function Mcp() {
  const { change } = useQuery()
  const create = useDialog('server')
  const pages = usePages('/admin/mcp/servers', {})
  const holderName = useHolderNames()
  const { columns, ...choice } = useColumns(
    'mcp-servers',
    useMemo(() => columnsFor(holderName), [holderName]),
  )
  const show = (wanted: string) => {
    const found = pages.items.find((server) => idOf(server) === wanted)
    return (
      found && <ServerDetail server={found} onClose={() => change({ server: undefined })} onChanged={pages.reload} />
    )
  }
  return (
    <>
      <ScreenHead title="MCP servers">
        <ColumnChoice {...choice} />
        {may('config.write') && (
          <button type="button" class="primary" onClick={create.open}>
            <Icon name="add" /> New server
          </button>
        )}
      </ScreenHead>
      <PagedTable
        label="MCP servers"
        columns={columns}
        keyOf={idOf}
        pages={pages}
        noun="server"
        opens={{ as: 'server', show }}
      >
        <NoServers />
      </PagedTable>
      {create.isOpen && <EditServer onClose={create.close} onChanged={pages.reload} />}
    </>
  )
}

/** A server of the config file hides a stored one of the same name, and both are listed. */
function idOf({ name, owned_by }: McpServerBody): string {
  return owned_by === 'file' ? `${name} (config file)` : name
}

const EXAMPLE = { name: 'tickets', url: 'https://mcp.example.com/mcp', applies_to: ['project:support'] }

function NoServers() {
  return (
    <Empty title="No MCP servers yet">
      <p>
        Models call the tools of an MCP server in chats, and agents at <code>/v3/mcp/</code> and its name. The gateway
        logs each call, charges its price and applies limits and guardrails. Add a server here, in the config file or
        through the admin API:
      </p>
      <CodeBlock label="the command" text={adminCommand('/admin/mcp/servers', EXAMPLE)} />
    </Empty>
  )
}

import type { McpServerBody } from '../../../src/contract/admin/mcp-servers.ts'
import { money } from '../../parts/format.ts'
import type { Column } from '../../parts/table/column.ts'

export function columnsFor(holderName: (appliesTo: string) => string): readonly Column<McpServerBody>[] {
  const holders = ({ applies_to: who }: McpServerBody) => who.map(holderName).join(', ')
  return [
    { name: 'name', title: 'Name', sort: ({ name }) => name, cell: ({ name }) => name },
    { name: 'url', title: 'Address', isMain: true, sort: ({ url }) => url, cell: ({ url }) => url },
    { name: 'tools', title: 'Allowed tools', cell: ({ tools }) => <span class="wraps">{toolsText(tools)}</span> },
    { name: 'callers', title: 'Available to', cell: (server) => <span class="wraps">{holders(server)}</span> },
    {
      name: 'price',
      title: 'Price per call',
      isNumber: true,
      isMinor: true,
      sort: ({ price_per_call: price }) => price,
      cell: ({ price_per_call: price }) => money(price),
    },
    {
      name: 'origin',
      title: 'Set in',
      isMinor: true,
      sort: originOf,
      cell: (server) => (server.active ? originOf(server) : <span class="status warn">not in use</span>),
    },
  ]
}

export function originOf({ owned_by: owner }: McpServerBody): string {
  return owner === 'file' ? 'config file' : 'console or API'
}

export function toolsText({ allow, deny }: McpServerBody['tools']): string {
  const denied = deny.length === 0 ? '' : `, except ${deny.join(', ')}`
  return `${allow === null ? 'all' : allow.join(', ') || 'none'}${denied}`
}

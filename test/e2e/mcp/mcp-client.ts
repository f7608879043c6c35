import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { API_KEY } from '../../gateway/gateway-under-test.ts'

type Era = 'modern' | 'legacy'

/** The client of the official SDK, in one era of the protocol. */
export async function mcpClient(
  url: string,
  era: Era,
  { key = API_KEY, path = '/v3/mcp' }: { key?: string; path?: string } = {},
): Promise<Client> {
  const versionNegotiation = era === 'modern' ? { mode: { pin: '2026-07-28' } } : { mode: 'legacy' as const }
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation })
  const transport = new StreamableHTTPClientTransport(new URL(path, url), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  })
  await client.connect(transport)
  return client
}

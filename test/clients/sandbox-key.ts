import { ADMIN_KEY, type GatewayUnderTest } from '../gateway/gateway-under-test.ts'

/** Calls with this key are simulated, whichever model they name. */
export async function sandboxKey({ adminUrl }: Pick<GatewayUnderTest, 'adminUrl'>): Promise<string> {
  const reply = await fetch(`${adminUrl}/admin/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'generated clients', kind: 'sandbox' }),
  })
  return ((await reply.json()) as { key: string }).key
}

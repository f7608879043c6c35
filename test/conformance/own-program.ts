import { DevicePage } from '../gateway/agent-client.ts'
import type { GatewayUnderTest } from '../gateway/gateway-under-test.ts'
import {
  allowed,
  authorizeUrl,
  consentOf,
  exchangeForm,
  leadsTo,
  openPage,
  registered,
} from '../gateway/oauth-program.ts'

/** A program that asks people to let it use MCP: what the operations of its OAuth presuppose. */
export async function ownProgram(
  { url }: GatewayUnderTest,
  path: string,
  { person, isForm }: { person(): Promise<string>; isForm: boolean },
): Promise<Record<string, string | undefined>> {
  const { client_id } = await registered(url)
  const asked = authorizeUrl(url, client_id)
  if (path.endsWith('/authorize')) return { query: new URL(asked).search }
  if (path.endsWith('/register')) return {}
  if (path.endsWith('/revoke')) return { form: new URLSearchParams({ token: 'a token' }).toString() }
  const page = new DevicePage(url)
  await page.signIn(await person())
  if (path.endsWith('/token')) {
    const code = (await allowed(url, page, asked)).get('code')!
    return { form: new URLSearchParams(exchangeForm(client_id, code)).toString() }
  }
  if (!isForm) return { cookie: page.cookie, query: new URL(leadsTo(await openPage(asked)), url).search }
  const { form } = await consentOf(url, page, asked)
  const decided = { ...form, project: 'default', decision: 'confirm' }
  const headers = JSON.stringify({ origin: url })
  return { cookie: page.cookie, headers, form: new URLSearchParams(decided).toString() }
}

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EXAMPLES_IN_PATHS } from '../../src/http/openapi/examples.ts'
import { signedBy, usualKey } from '../../src/tenants/jwt/fixtures/fake-issuer.ts'
import { type GatewayUnderTest, startGateway } from '../gateway/gateway-under-test.ts'
import { startLyingProvider } from '../sign-in/lying-provider.ts'
import type { Own } from './own-things.ts'

const NAME = EXAMPLES_IN_PATHS.name!
const CLIENT = 'gatehouse'
const SUBJECT = 'eve'
/** No server listens there, and the answer to a test says so. */
const ALERTS = { alerts: { receivers: [{ name: 'ops', format: 'webhook', url: 'http://127.0.0.1:9/' }] } }
/** The example asks it nothing. */
const MCP = { servers: { [EXAMPLES_IN_PATHS.server_name!]: { url: 'https://mcp.example/mcp' } } }
const LOGOUT = { 'http://schemas.openid.net/event/backchannel-logout': {} }

export type WithProvider = {
  gateway: GatewayUnderTest
  own(path: string): Promise<Own | undefined>
  close(): Promise<void>
}

/** A gateway whose config file names the OpenID provider, the MCP server and the receiver of the examples. */
export async function startGatewayWithProvider(env: Record<string, string>): Promise<WithProvider> {
  const key = usualKey()
  const provider = await startLyingProvider([key])
  provider.userinfo = { sub: SUBJECT }
  const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-examples-'))
  const entry = { name: NAME, issuer: provider.url, clientId: CLIENT, clientSecretEnv: 'CLIENT_SECRET' }
  const file = join(dataDir, 'config.json')
  await writeFile(
    file,
    JSON.stringify({
      ...ALERTS,
      agents: { signIn: true },
      manage: { enabled: true },
      mcp: { ...MCP, oauth: true },
      auth: { oidc: [{ ...entry, default: { role: 'member' } }] },
    }),
  )
  const gateway = await startGateway({ env: { ...env, GATEHOUSE_CONFIG: file, CLIENT_SECRET: 'a-secret' }, dataDir })

  function signed(claims: object, header = {}): string {
    const iat = Math.floor(Date.now() / 1000)
    const own = { iss: provider.url, aud: CLIENT, sub: SUBJECT, iat, exp: iat + 60 }
    return signedBy(key, { header, claims: { ...own, ...claims } })
  }

  /** What the browser brings back from the provider. */
  async function begun(url: string): Promise<Own> {
    const answer = await fetch(url, { redirect: 'manual' })
    const asked = new URL(answer.headers.get('location')!).searchParams
    provider.idToken = signed({ nonce: asked.get('nonce') })
    const query = new URLSearchParams({ code: 'code', iss: provider.url, state: asked.get('state')! })
    return { query: `?${query}`, cookie: answer.headers.get('set-cookie')!.split(';')[0] }
  }

  function signedOut(): Own {
    const logout_token = signed({ jti: crypto.randomUUID(), events: LOGOUT }, { typ: 'logout+jwt' })
    return { form: new URLSearchParams({ logout_token }).toString() }
  }

  return {
    gateway,
    own: async (path) => {
      if (path === '/v3/device/callback') return begun(`${gateway.url}/v3/device/sign-in/${NAME}`)
      if (path.endsWith('/callback')) return begun(`${gateway.adminUrl}/sign-in/oidc/${NAME}`)
      return path.endsWith('/logout') ? signedOut() : undefined
    },
    close: async () => {
      await provider.close()
      await gateway.close().finally(() => rm(dataDir, { recursive: true }))
    },
  }
}

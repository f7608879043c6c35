import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'
import { usualKey } from '../../src/tenants/jwt/fixtures/fake-issuer.ts'

type Account = Record<string, unknown>

type RealProvider = {
  url: string
  /** Who signs in next, and what the provider says about them. */
  account: { sub: string; claims: Account }
  /** Starts answering, now that the addresses of the gateway are known. `more` are further ones that people come back to. */
  open(gatewayUrls: readonly string[], names: readonly string[], more?: readonly string[]): void
  /** Tells the gateway that the person has signed out. */
  logOut(subject: string): Promise<void>
  close(): Promise<void>
}

const SIGNING_KEY = { ...usualKey().privateKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256', use: 'sig' }
const CLAIMS = ['sub', 'sid', 'email', 'email_verified', 'name', 'preferred_username', 'hd', 'oid', 'tid']
const GROUPS = ['groups', 'roles', 'realm_access', 'resource_access']

/**
 * The package oidc-provider on loopback. Every browser is signed in as the account that `account` names at the moment.
 * `inToken`: the claims are in the ID token, otherwise only at the userinfo endpoint.
 */
export async function startProvider({ inToken }: { inToken: boolean }): Promise<RealProvider> {
  let listener: RequestListener = (_request, response) => response.writeHead(503).end()
  const server = createServer((request, response) => listener(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const sessions = new Map<string, string>()
  let provider: Provider
  const real: RealProvider = {
    url,
    account: { sub: 'ada', claims: {} },
    open: (gatewayUrls, names, more = []) => {
      const redirectUris = [
        ...gatewayUrls.flatMap((one) => names.map((name) => `${one}/sign-in/oidc/${name}/callback`)),
        ...more,
      ]
      provider = new Provider(url, settings(gatewayUrls, names, redirectUris, { real, inToken }))
      const callback = provider.callback()
      listener = (request, response) => {
        if (!request.url!.startsWith('/interaction/')) return callback(request, response)
        void provider.interactionFinished(request, response, { login: { accountId: real.account.sub } })
      }
      provider.on('authorization.success', (context) => {
        const { session } = (context as { oidc: { session: { accountId: string; sidFor(id: string): string } } }).oidc
        sessions.set(session.accountId, session.sidFor('gatehouse'))
      })
    },
    logOut: async (subject) => {
      const client = await provider.Client.find('gatehouse')
      await client.backchannelLogout(subject, sessions.get(subject)!)
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
  return real
}

function settings(
  gatewayUrls: readonly string[],
  names: readonly string[],
  redirectUris: readonly string[],
  { real, inToken }: { real: RealProvider; inToken: boolean },
) {
  return {
    clients: [
      {
        client_id: 'gatehouse',
        client_secret: 'secret-of-the-client',
        redirect_uris: redirectUris,
        post_logout_redirect_uris: gatewayUrls.map((gateway) => `${gateway}/sign-in`),
        backchannel_logout_uri: `${gatewayUrls[0]}/sign-in/oidc/${names[0]}/logout`,
        backchannel_logout_session_required: true,
      },
    ],
    claims: { openid: [...CLAIMS, ...GROUPS] },
    conformIdTokenClaims: !inToken,
    features: { devInteractions: { enabled: false }, backchannelLogout: { enabled: true } },
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, IdToken: 600, AuthorizationCode: 60 },
    pkce: { required: () => true },
    cookies: { keys: ['a key of the tests'] },
    jwks: { keys: [SIGNING_KEY] },
    fetch: (address: string, options: RequestInit) =>
      fetch(address, { ...options, dispatcher: undefined } as RequestInit),
    findAccount: (_context: unknown, sub: string) => ({
      accountId: sub,
      claims: () => ({ sub, ...real.account.claims }),
    }),
    loadExistingGrant: async (context: GrantContext) => {
      const { provider, client, session } = context.oidc
      const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
  }
}

type GrantContext = { oidc: { provider: Provider; client: { clientId: string }; session: { accountId: string } } }

import type { OidcIssuer } from '../../../platform/config/auth/auth.ts'
import type { Database } from '../../../platform/store/database.ts'
import { issuerOfSession } from '../../../platform/store/sign-in/sso-sessions.ts'
import type { OidcClients } from './client.ts'

type Needs = { db: Database; clients: OidcClients; providers: readonly OidcIssuer[] }

/**
 * Where the browser goes to end the session at the provider too (OpenID Connect RP-Initiated Logout). Undefined for a session
 * that no provider has opened, and for a provider that cannot end one or does not answer.
 */
export async function providerSignOut(
  session: string,
  returnTo: string,
  { db, clients, providers }: Needs,
): Promise<string | undefined> {
  const issuer = await issuerOfSession(db, session)
  const provider = providers.find((one) => one.issuer === issuer)
  const client = provider && (await clients.open(provider).catch(() => undefined))
  if (!client?.configuration.serverMetadata().end_session_endpoint) return undefined
  const { openId, configuration } = client
  return openId.buildEndSessionUrl(configuration, { post_logout_redirect_uri: returnTo }).href
}

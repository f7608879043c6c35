import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestKey } from '../../src/tenants/jwt/fixtures/fake-issuer.ts'

export type LyingProvider = {
  url: string
  keys: TestKey[]
  /** What the token endpoint answers with, whatever it is asked. */
  idToken: string
  userinfo: Record<string, unknown>
  close(): Promise<void>
}

/** An OpenID provider whose ID tokens are what the test says. */
export async function startLyingProvider(keys: TestKey[]): Promise<LyingProvider> {
  const server = createServer((request, response) => {
    const path = request.url!.split('?')[0]
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(answers()[path!] ?? discovery(provider.url)))
  })
  const answers = (): Record<string, unknown> => ({
    '/keys': { keys: provider.keys.map(({ jwk }) => jwk) },
    '/token': { access_token: 'access', token_type: 'bearer', expires_in: 60, id_token: provider.idToken },
    '/userinfo': provider.userinfo,
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const provider: LyingProvider = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    keys,
    idToken: '',
    userinfo: {},
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
  return provider
}

function discovery(issuer: string) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    jwks_uri: `${issuer}/keys`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    // It even says so.
    id_token_signing_alg_values_supported: ['RS256', 'ES256', 'HS256', 'none'],
    authorization_response_iss_parameter_supported: true,
  }
}

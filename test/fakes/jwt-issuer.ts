import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { signedBy, type TestKey } from '../../src/tenants/jwt/fixtures/fake-issuer.ts'

export type JwtIssuerServer = {
  url: string
  /** What it lists. A test may replace its keys. */
  keys: TestKey[]
  requests: string[]
  /** A token that is valid for ten minutes, with further claims. */
  token(claims?: Record<string, unknown>, key?: TestKey): string
  close(): Promise<void>
}

/** A server with a discovery document and public keys, as every issuer of tokens has them. */
export async function startJwtIssuer(keys: TestKey[]): Promise<JwtIssuerServer> {
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(request.url!)
    const document = request.url === '/keys' ? { keys: issuer.keys.map(({ jwk }) => jwk) } : discovery(issuer.url)
    response.setHeader('content-type', 'application/json').end(JSON.stringify(document))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const issuer: JwtIssuerServer = {
    url,
    keys,
    requests,
    token: (claims = {}, key = issuer.keys[0]!) => {
      const now = Math.floor(Date.now() / 1000)
      return signedBy(key, { claims: { iss: url, aud: 'gatehouse', sub: 'ada', iat: now, exp: now + 600, ...claims } })
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
  return issuer
}

function discovery(issuer: string) {
  return { issuer, jwks_uri: `${issuer}/keys` }
}

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** What the clouds ask of a request, and what they answer: `undefined` refuses it. */
type Handler = (request: { headers: IncomingMessage['headers']; url: URL; body: string }) => Reply | undefined
type Reply = { text: string; headers?: Record<string, string> } | undefined

const SESSION = 'session-of-imds'
export const ROLE = 'role-of-machine'
export const WEB_TOKEN = 'token-of-cluster'
export const LIFETIME_SECONDS = 3_600

/**
 * The metadata servers and token endpoints of AWS, Google and Azure on one port. They refuse what the real ones refuse: a
 * request without the header that proves that no browser and no redirect sent it. Keys and tokens are numbered.
 */
export async function startCloudMetadata(now: () => number = Date.now) {
  const requests: string[] = []
  let issued = 0
  const handlers = handlersOf(() => ++issued, now)
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '', 'http://metadata')
    const name = `${request.method} ${url.pathname}`
    requests.push(name)
    const body = await text(request)
    answer(response, handlers[name]?.({ headers: request.headers, url, body }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    requests,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function answer(response: ServerResponse, reply: Reply): void {
  if (!reply) response.writeHead(403).end('{"error":"refused"}')
  else response.writeHead(200, reply.headers).end(reply.text)
}

function handlersOf(number: () => number, now: () => number): Record<string, Handler> {
  const expiration = () => new Date(now() + LIFETIME_SECONDS * 1_000).toISOString()
  const keys = (kind: string) =>
    JSON.stringify({
      Code: 'Success',
      AccessKeyId: `ASIA-${kind}-${number()}`,
      SecretAccessKey: `secret-of-${kind}`,
      Token: `session-of-${kind}`,
      Expiration: expiration(),
    })
  const inSession: (reply: () => string) => Handler = (reply) => (request) =>
    request.headers['x-aws-ec2-metadata-token'] === SESSION ? { text: reply() } : undefined
  return {
    'PUT /latest/api/token': ({ headers }) =>
      headers['x-aws-ec2-metadata-token-ttl-seconds'] ? { text: SESSION } : undefined,
    'GET /latest/meta-data/iam/security-credentials/': inSession(() => `${ROLE}\n`),
    [`GET /latest/meta-data/iam/security-credentials/${ROLE}`]: inSession(() => keys('machine')),
    'GET /v2/credentials/task': ({ headers }) =>
      headers.authorization === 'token-of-agent' ? { text: keys('container') } : undefined,
    'POST /': ({ body }) => assumedRole(new URLSearchParams(body), number, expiration),
    'GET /computeMetadata/v1/instance/service-accounts/default/token': ({ headers }) =>
      headers['metadata-flavor'] === 'Google' ? { text: token(`google-machine-${number()}`) } : undefined,
    'POST /google/sts': ({ body }) => federated(new URLSearchParams(body), number),
    'POST /google/impersonate': ({ headers, body }) =>
      headers.authorization?.startsWith('Bearer google-federated-') && JSON.parse(body).scope
        ? { text: JSON.stringify({ accessToken: `google-impersonated-${number()}`, expireTime: expiration() }) }
        : undefined,
    'GET /google/subject': ({ headers }) =>
      headers['x-subject'] === 'yes' ? { text: JSON.stringify({ value: WEB_TOKEN }) } : undefined,
    'GET /metadata/identity/oauth2/token': ({ headers, url }) =>
      headers.metadata === 'true' && isForAzure(url) ? { text: azureToken(`azure-machine-${number()}`) } : undefined,
    'GET /msi/token': ({ headers, url }) =>
      headers['x-identity-header'] === 'header-of-app' && isForAzure(url)
        ? { text: azureExpiresOn(`azure-app-${number()}`, now()) }
        : undefined,
    'POST /tenant/oauth2/v2.0/token': ({ body }) => azureFederated(new URLSearchParams(body), number),
  }
}

function assumedRole(form: URLSearchParams, number: () => number, expiration: () => string): Reply {
  if (form.get('Action') !== 'AssumeRoleWithWebIdentity' || form.get('WebIdentityToken') !== WEB_TOKEN) return undefined
  if (form.get('Version') !== '2011-06-15' || !form.get('RoleArn') || !form.get('RoleSessionName')) return undefined
  const credentials =
    `<AccessKeyId>ASIA-web-${number()}</AccessKeyId><SecretAccessKey>secret-of-web</SecretAccessKey>` +
    `<SessionToken>session-of-web</SessionToken><Expiration>${expiration()}</Expiration>`
  const result = `<AssumeRoleWithWebIdentityResult><Credentials>${credentials}</Credentials></AssumeRoleWithWebIdentityResult>`
  return { text: `<AssumeRoleWithWebIdentityResponse>${result}</AssumeRoleWithWebIdentityResponse>` }
}

function federated(form: URLSearchParams, number: () => number): Reply {
  const isRight = form.get('grant_type') === 'urn:ietf:params:oauth:grant-type:token-exchange' && form.get('audience')
  const subject = form.get('subject_token')!
  const isKnown = subject === WEB_TOKEN || isSignedByAws(subject, form.get('audience'))
  return isRight && isKnown ? { text: token(`google-federated-${number()}`) } : undefined
}

/** Google only checks the form before it sends the request to AWS. */
function isSignedByAws(subject: string, audience: string | null): boolean {
  const { url, method, headers } = JSON.parse(decodeURIComponent(subject))
  const header = (name: string) => headers.find(({ key }: { key: string }) => key === name)?.value ?? ''
  const isSigned = /^AWS4-HMAC-SHA256 Credential=.*SignedHeaders=host;.*x-goog-cloud-target-resource/.test(
    header('authorization'),
  )
  const isForUs = header('x-goog-cloud-target-resource') === audience && header('host') === new URL(url).host
  return method === 'POST' && isSigned && isForUs
}

function azureFederated(form: URLSearchParams, number: () => number): Reply {
  const isRight = form.get('client_assertion') === WEB_TOKEN && form.get('client_id') && form.get('scope')
  return isRight ? { text: token(`azure-federated-${number()}`) } : undefined
}

function isForAzure(url: URL): boolean {
  return url.searchParams.get('resource') === 'https://cognitiveservices.azure.com/'
}

function token(value: string): string {
  return JSON.stringify({ access_token: value, expires_in: LIFETIME_SECONDS, token_type: 'Bearer' })
}

/** Azure writes numbers as texts. */
function azureToken(value: string): string {
  return JSON.stringify({ access_token: value, expires_in: String(LIFETIME_SECONDS), token_type: 'Bearer' })
}

function azureExpiresOn(value: string, now: number): string {
  const expires_on = String(Math.floor(now / 1_000) + LIFETIME_SECONDS)
  return JSON.stringify({ access_token: value, expires_on, token_type: 'Bearer' })
}

import { createHash } from 'node:crypto'
import type { SeenRequest } from '../provider.ts'
import { compareSignature, readTime, type ServerKeys } from '../s3-signature.ts'
import { MINUTE_MS } from '../../../src/base/units/units.ts'

const MAX_SKEW_MS = 5 * MINUTE_MS
const AUTHORIZATION = /^AWS4-HMAC-SHA256 Credential=([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/

/** How Amazon would refuse the signature of a request, or undefined if it would not. Shares no code with the signer. */
export function bedrockRefusal(request: SeenRequest, keys: ServerKeys, now: Date): string | undefined {
  const [, credential = '', names = '', signature] = AUTHORIZATION.exec(request.headers.authorization ?? '') ?? []
  if (!signature) return 'MissingAuthenticationToken'
  const time = String(request.headers['x-amz-date'])
  if (!(Math.abs(readTime(time) - now.getTime()) <= MAX_SKEW_MS)) return 'RequestExpired'
  if ((request.headers['x-amz-security-token'] ?? '') !== (keys.sessionToken ?? '')) return 'UnrecognizedClient'
  for (const name of ['host', 'x-amz-date']) if (!names.split(';').includes(name)) return 'InvalidSignature'
  const hash = createHash('sha256').update(request.text).digest('hex')
  // Every service but S3 signs the path encoded once more than it is sent.
  const path = request.path.replaceAll('%', '%25')
  return compareSignature({ request, path, query: '', names, hash, time, credential }, signature, keys, 'bedrock')
}

import type { Credential, Provider } from '../config/provider-settings.ts'
import type { WireRequest } from '../contract/wire.ts'
import { signAws } from '../net/aws-signature.ts'
import type { Outside } from './outside.ts'

/** The request with the proof of who we are, as the provider's row wants it. Dialects know nothing of credentials. */
export function authorize(
  request: WireRequest,
  { auth, address }: Provider,
  { secret, aws, google }: Credential,
  outside: Pick<Outside, 'now' | 'googleTokens'>,
): WireRequest | Promise<WireRequest> {
  if (aws) {
    const signer = { ...aws, service: 'bedrock', region: address.AWS_REGION ?? 'us-east-1' }
    return signAws(request, signer, new Date(outside.now()))
  }
  if (google) return outside.googleTokens.tokenFor(google).then((token) => withHeader(request, bearer(token)))
  if (!secret || auth.scheme === 'none') return request
  return withHeader(request, auth.scheme === 'header' ? { [auth.header ?? 'x-api-key']: secret } : bearer(secret))
}

function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` }
}

/** The request was made for this one call: its headers are ours to add to. */
function withHeader(request: WireRequest, header: Record<string, string>): WireRequest {
  Object.assign(request.headers, header)
  return request
}

// Headers that a caller may not add to the call of a provider. All callers share the operator's accounts there, so a header
// must not choose another account, method, model or address, or replace a credential.

export const HEADER_REASONS = {
  credential: 'it carries a credential',
  framing: 'it says where a request goes and where it ends',
  origin: 'it says where a request comes from',
  account: 'it chooses the account, project or organization that pays',
  method: 'it chooses another method or path',
  model: 'it chooses another model, host, region or price',
  address: 'it names an address to be called',
  shared: 'it is shared by all who use the same account',
} as const

type Reason = keyof typeof HEADER_REASONS

/**
 * Names are compared with hyphens for underscores, because servers behind a CGI-like interface cannot distinguish the two.
 */
export const RESERVED_NAMES: Readonly<Partial<Record<Reason, readonly string[]>>> = {
  credential: [
    ...['authorization', 'x-goog-iam-authorization-token', 'cookie', 'cookie2', 'set-cookie', 'licensecode'],
    ...['metadata', 'metadata-flavor', 'x-google-metadata-request', 'x-goog-iam-authority-selector'],
  ],
  framing: [
    ...['host', 'connection', 'keep-alive', 'te', 'trailer', 'upgrade', 'expect', 'http2-settings', 'alt-used'],
    ...['content-length', 'content-type', 'content-encoding', 'transfer-encoding', 'accept-encoding', 'range'],
  ],
  origin: ['forwarded', 'via', 'x-real-ip', 'true-client-ip', 'x-client-ip', 'x-cluster-client-ip', 'client-ip'],
  account: ['opc-compartment-id', 'x-hf-bill-to', 'from', 'appid', 'x-appid', 'x-folder-id', 'x-space-id'],
  method: ['x-http-destinationurl', 'x-http-path-override', 'x-host', 'destination', 'x-goog-request-params'],
  model: ['provider', 'providers', 'x-provider', 'x-providers', 'x-geo', 'x-inference-geo'],
  address: ['api-base', 'x-api-base', 'openai-api-base', 'base-url', 'x-base-url', 'x-forward-to', 'x-target'],
  shared: ['idempotency-key', 'x-idempotency-key', 'if-match', 'if-none-match', 'if-modified-since', 'if-range'],
}

/** Prefixes of headers that a proxy or a cloud reads as settings. */
export const RESERVED_PREFIXES: Readonly<Partial<Record<Reason, readonly string[]>>> = {
  credential: ['x-amz-', 'x-aws-', 'x-acs-', 'x-bce-', 'x-tc-', 'x-forwarded-access-', 'x-ms-token-'],
  framing: ['proxy-', 'sec-'],
  origin: [
    'x-forwarded-',
    'cf-connecting-',
    'fastly-client-',
    'remote-',
    'x-remote-',
    'x-consumer-',
    'x-webauth-',
    'x-ssl-',
  ],
  account: ['x-snowflake-', 'x-databricks-', 'x-dashscope-', 'x-friendli-', 'x-msh-', 'x-hf-', 'bt-', 'x-bt-'],
  method: ['x-original-', 'x-rewrite-', 'x-envoy-', 'x-http-method', 'x-method-', 'x-middleware-'],
  model: [
    ...['x-portkey-', 'x-litellm-', 'litellm-', 'helicone-', 'x-helicone-', 'x-vercel-', 'ai-', 'cf-aig-', 'x-ms-'],
    ...['azureml-', 'x-amzn-', 'x-bedrock-', 'x-vertex-', 'x-goog-', 'x-watsonx-', 'x-ibm-', 'x-fireworks-', 'nvcf-'],
    ...['x-cohere-', 'x-openrouter-', 'x-requesty-', 'x-groq-', 'x-fal-', 'x-tensorzero-', 'x-kong-', 'x-unify-'],
    ...['x-baseten-', 'x-together-', 'x-replicate-', 'x-clarifai-', 'x-oci-', 'x-wandb-', 'x-cortecs-', 'x-nvidia-'],
  ],
}

/** Headers with such a prefix that are allowed: they serve attribution and diagnosis and choose nothing. */
export const HARMLESS_HEADERS: ReadonlySet<string> = new Set([
  ...['x-openrouter-title', 'x-openrouter-categories', 'x-goog-api-client', 'x-vertex-ai-trace-id'],
  ...['x-ms-client-request-id', 'x-fireworks-trace-id'],
])

/** A header is refused if one of the words between its hyphens is listed here. */
export const RESERVED_WORDS: Readonly<Record<string, Reason>> = {
  ...named('credential', ['key', 'apikey', 'token', 'secret', 'password', 'auth', 'authorization', 'authentication']),
  ...named('credential', ['credential', 'credentials', 'jwt', 'bearer', 'signature', 'impersonate', 'role']),
  ...named('account', [
    'account',
    'accounts',
    'organization',
    'organizations',
    'organisation',
    'org',
    'orgs',
    'project',
    'projects',
  ]),
  ...named('account', ['tenant', 'tenants', 'workspace', 'workspaces']),
  ...named('account', ['team', 'billing', 'bill', 'payer', 'subscription', 'quota', 'customer', 'compartment']),
  ...named('method', ['override']),
  ...named('model', ['model', 'models', 'deployment', 'deployments', 'region', 'route', 'routing', 'fallback']),
  ...named('model', ['fallbacks', 'tier', 'priority']),
  ...named('address', ['webhook', 'webhooks', 'callback', 'endpoint', 'upstream', 'target', 'baseurl']),
}

/** The reason why a caller may not set this header; undefined if it may. */
export function reservedBecause(name: string): string | undefined {
  const canonical = name.toLowerCase().replaceAll('_', '-')
  if (HARMLESS_HEADERS.has(canonical)) return undefined
  const reason = EXACT.get(canonical) ?? familyOf(canonical) ?? wordIn(canonical)
  return reason && HEADER_REASONS[reason]
}

const EXACT: ReadonlyMap<string, Reason> = new Map(
  Object.entries(RESERVED_NAMES).flatMap(([reason, names]) => names.map((name) => [name, reason as Reason])),
)
const FAMILIES = Object.entries(RESERVED_PREFIXES) as [Reason, readonly string[]][]

function familyOf(name: string): Reason | undefined {
  return FAMILIES.find(([, prefixes]) => prefixes.some((prefix) => name.startsWith(prefix)))?.[0]
}

/** `x-project-id` and `x-projectid` mean the same. */
function wordIn(name: string): Reason | undefined {
  const words = name.split('-').flatMap((word) => [word, word.replace(/(id|name)s?$/, '')])
  const found = words.find((word) => Object.hasOwn(RESERVED_WORDS, word))
  return found === undefined ? undefined : RESERVED_WORDS[found]
}

function named(reason: Reason, words: readonly string[]): Record<string, Reason> {
  return Object.fromEntries(words.map((word) => [word, reason]))
}

/** LiteLLM's names for groups of routes. Administration has a listener and keys of its own here. */
const GROUPS: Readonly<Record<string, readonly string[] | 'all'>> = {
  llm_api_routes: 'all',
  openai_routes: 'all',
  anthropic_routes: ['chat', 'tokens'],
  management_routes: [],
  info_routes: [],
  mcp_routes: [],
}

const PATHS: readonly [RegExp, string][] = [
  [/^(?:\/openai\/deployments\/[^/]+)?(?:\/v1)?\/(?:chat\/completions|completions|responses|messages)/, 'chat'],
  [/^\/v1\/messages\/count_tokens/, 'tokens'],
  [/^(?:\/v1)?\/(?:embeddings|moderations|audio|rerank)/, 'universal'],
  [/^(?:\/v1)?\/images/, 'images'],
  [/^(?:\/v1)?\/files/, 'files'],
  [/^(?:\/v1)?\/models?/, 'models'],
]

/** The endpoints that a key may use: undefined for all, an empty list for none. Routes that we do not have are left out. */
export function endpointScopes(routes: unknown): readonly string[] | undefined {
  if (!Array.isArray(routes) || routes.length === 0) return undefined
  const scopes = routes.map((route) => scopesOf(String(route)))
  return scopes.includes('all') ? undefined : [...new Set((scopes as string[][]).flat())]
}

function scopesOf(route: string): readonly string[] | 'all' {
  if (Object.hasOwn(GROUPS, route)) return GROUPS[route]!
  if (route === '/*' || route === '*') return 'all'
  return PATHS.flatMap(([path, scope]) => (path.test(route) ? [scope] : [])).slice(0, 1)
}

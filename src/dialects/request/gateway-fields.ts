/** Fields that steer the gateway: none of them reaches a wire. `extra_body` and `extra_headers` travel by their content. */
export const GATEWAY_FIELDS: ReadonlySet<string> = new Set([
  'fallbacks',
  'router_candidates',
  'routing',
  'pre_hooks',
  'post_hooks',
  'extra_body',
  'extra_headers',
])

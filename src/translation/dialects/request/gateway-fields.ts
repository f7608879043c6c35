/** Fields that control the gateway: none of them is sent. Of `extra_body` and `extra_headers`, the content is sent. */
export const GATEWAY_FIELDS: ReadonlySet<string> = new Set([
  'fallbacks',
  'router_candidates',
  'routing',
  'pre_hooks',
  'post_hooks',
  'extra_body',
  'extra_headers',
  'session_id',
  'cache_marks',
])

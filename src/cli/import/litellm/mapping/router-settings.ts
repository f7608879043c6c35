import type { Row } from './row.ts'

const FAILURES = 'what follows a failure is in docs/failures.md; circuits rest unhealthy targets by themselves'
const SHARED = 'processes share their state through the database (DATABASE_URL); no Redis is needed'
const LATER = 'comes with a later version'

/** Members that LiteLLM accepts in both `router_settings` and `litellm_settings`. */
export const ROUTING: readonly Row[] = [
  ['num_retries', 'approximate', 'is `retries` of every alias, 5 at most; a retry asks the same target again'],
  ['allowed_fails', 'approximate', FAILURES],
  ['cooldown_time', 'approximate', FAILURES],
  ['fallbacks', 'exact', 'are `fallbacks` of the aliases'],
  ['context_window_fallbacks', 'approximate', 'are `fallbacks` of the aliases, which are also used for other failures'],
  ['content_policy_fallbacks', 'unsupported', 'what one provider refuses by its policy is not sent to another'],
  ['default_fallbacks', 'exact', 'are `fallbacks` of every alias without `fallbacks` of its own'],
  ['request_timeout', 'approximate', 'is `headersMs` and `idleMs` of every alias'],
]

export const ROUTER_SETTINGS: readonly Row[] = [
  ...ROUTING,
  ['timeout', 'approximate', 'is `headersMs` and `idleMs` of every alias'],
  ['stream_timeout', 'approximate', 'is `firstTokenMs` of every alias'],
  ['routing_strategy', 'approximate', 'targets share the calls by weight; a conversation stays with its target'],
  ['routing_strategy_args', 'approximate', 'targets share the calls by weight'],
  ['model_group_alias', 'exact', 'are aliases'],
  ['retry_after', 'approximate', 'the wait that the provider asks for counts'],
  ['retry_policy', 'approximate', FAILURES],
  ['model_group_retry_policy', 'approximate', FAILURES],
  ['allowed_fails_policy', 'approximate', FAILURES],
  ['disable_cooldowns', 'approximate', FAILURES],
  ['max_fallbacks', 'approximate', 'all fallbacks of an alias are tried within its time limit'],
  ['enable_pre_call_checks', 'approximate', 'targets that the region or the scopes of the key exclude are left out'],
  ['optional_pre_call_checks', 'approximate', 'a conversation stays with its target, so that prompt caches work'],
  ['enable_tag_filtering', 'unsupported', 'targets cannot be chosen by tags; make an alias for each tag'],
  ['provider_budget_config', 'exact', 'are budgets with `providers`; their windows begin with 0'],
  [
    'default_max_parallel_requests',
    'manual',
    'is for each deployment: make rate limits of concurrent calls with `models`',
  ],
  ['default_litellm_params', 'manual', 'put them into `defaults` of the aliases'],
  ['redis_host', 'approximate', SHARED],
  ['redis_port', 'approximate', SHARED],
  ['redis_password', 'approximate', SHARED],
  ['redis_url', 'approximate', SHARED],
  ['cache_responses', 'manual', `a cache of answers: ${LATER}`],
  ['cache_kwargs', 'manual', `a cache of answers: ${LATER}`],
  ['set_verbose', 'approximate', 'LOG_LEVEL=debug'],
  ['debug_level', 'approximate', 'LOG_LEVEL=debug'],
  ['alerting_config', 'manual', 'alerts.receivers of the config file (docs/alerts.md)'],
  ['polling_interval', 'approximate', 'is not needed'],
  ['client_ttl', 'approximate', 'is not needed'],
]

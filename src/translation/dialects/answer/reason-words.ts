import type { FinishReason } from '../../../contract/chat-reply.ts'
import type { ProblemKind } from '../../wire/upstream-problem.ts'

// What the words mean with which providers end their answers. All dialects share this table, because compatible hosts take
// words from each other: one that speaks like Anthropic ends with `length`, one that speaks like OpenAI with `MAX_TOKENS`.

/** What a word says: how the answer ended, or that it failed. `unfinished` is an end that our format has no word for. */
type Meaning = FinishReason | 'unfinished' | 'unsaid' | { failed: ProblemKind }

/** Words in their plain form. The docs print this table. */
export const ENDS: Readonly<Record<FinishReason | 'unfinished' | 'unsaid', readonly string[]>> = {
  stop: [
    ...['stop', 'stop_sequence', 'stop_sequence_reached', 'stop_words', 'stop_criteria_met'],
    ...['end', 'end_turn', 'end_id'],
    ...['end_of_text', 'end_of_turn', 'endoftext', 'eos', 'eos_token', 'complete', 'completed', 'done', 'final'],
    ...['finish', 'finished', 'normal', 'word'],
  ],
  tool_calls: ['tool_calls', 'tool_call', 'tool_use', 'function_calls'],
  function_call: ['function_call'],
  length: [
    ...['length', 'limit', 'token_limit', 'max_tokens', 'max_new_tokens', 'max_output_tokens', 'max_completion_tokens'],
    ...['maximum_tokens', 'max_len', 'max_length', 'max_context', 'model_length', 'context', 'context_full'],
    ...['context_length', 'context_length_exceeded', 'context_window_exceeded', 'model_context_window_exceeded'],
    ...['continuation', 'truncated', 'truncated_final'],
  ],
  content_filter: [
    ...['content_filter', 'content_filtered', 'content_policy', 'content_policy_violation', 'guardrail_intervened'],
    ...['safety', 'sensitive', 'refusal', 'recitation', 'language', 'blocklist', 'blacklist', 'prohibited_content'],
    ...['spii', 'image_safety', 'image_prohibited_content', 'image_recitation', 'model_armor', 'moderation', 'blocked'],
    'error_toxic',
  ],
  // The model has not finished its turn, although nothing failed: it goes on when its caller sends the answer back.
  unfinished: [
    ...['pause_turn', 'pause', 'paused', 'compaction', 'incomplete'],
    ...['time_limit', 'max_tool_calls', 'max_turns'],
  ],
  // What servers send as long as there is no reason.
  unsaid: ['', 'null', 'none', 'not_finished', 'unspecified'],
}

/** Words for a failure that its kind does not follow from (FAILING). */
const FAILURES: Readonly<Record<string, ProblemKind>> = {
  insufficient_quota: 'auth',
  resource_exhausted: 'rate_limited',
}

/** Any other word that says that the answer did not end by itself. The first pattern that fits says what failed. */
export const FAILING: readonly (readonly [RegExp, ProblemKind])[] = [
  [/rate_?limit|throttl|too_many_requests|quota/, 'rate_limited'],
  [/time_?d?_?out|deadline/, 'timeout'],
  [/overload|unavailable|preempt|evict|capacity|busy|insufficient|shut_?down/, 'overloaded'],
  [
    /error|fail|abort|cancel|interrupt|exception|crash|killed|lost|connection|den(y|ied)|reject|malformed/,
    'server_error',
  ],
]

const MEANINGS: ReadonlyMap<string, Meaning> = new Map([
  ...Object.entries(ENDS).flatMap(([end, words]) => words.map((word): [string, Meaning] => [word, end as Meaning])),
  ...Object.entries(FAILURES).map(([word, failed]): [string, Meaning] => [word, { failed }]),
])

/** Undefined for a word that these tables do not have. */
export function meaningOf(reason: string): Meaning | undefined {
  const meaning = MEANINGS.get(reason)
  if (meaning) return meaning
  const word = plainForm(reason)
  const failed = FAILING.find(([pattern]) => pattern.test(word))?.[1]
  return MEANINGS.get(word) ?? (failed && { failed })
}

/** `FINISH_REASON_MAX_TOKENS`, `maxTokens` and `max-tokens` are `max_tokens`. */
function plainForm(reason: string): string {
  return reason
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_|_$/g, '')
    .replace(/^(finish_|stop_)?reason_|^alternative_status_/, '')
}

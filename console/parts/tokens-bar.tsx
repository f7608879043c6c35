import type { RequestLine } from '../../src/contract/admin/requests.ts'
import { compact, count } from './format.ts'

type Tokens = Pick<
  RequestLine,
  'prompt_tokens' | 'cached_tokens' | 'cache_write_tokens' | 'completion_tokens' | 'reasoning_tokens'
>

const KINDS = {
  fresh: 'input',
  cached: 'cached input',
  written: 'cache write',
  output: 'output',
  thinking: 'reasoning',
}
type Kind = keyof typeof KINDS

/** Tokens by their price, each counted once. */
function partsOf(tokens: Tokens): [Kind, number][] {
  const { prompt_tokens: read, cached_tokens: cached, cache_write_tokens: written } = tokens
  const { completion_tokens: answered, reasoning_tokens: thinking } = tokens
  const parts: [Kind, number][] = [
    ['fresh', read - cached - written],
    ['cached', cached],
    ['written', written],
    ['output', answered - thinking],
    ['thinking', thinking],
  ]
  return parts.filter(([, amount]) => amount > 0)
}

/** What the tokens of a call are made of. The numbers are beside it, so the bar says nothing to a screen reader. */
export function TokensBar({ tokens }: { tokens: Tokens }) {
  const { prompt_tokens: read, completion_tokens: answered } = tokens
  if (read + answered === 0) return <span class="faint">–</span>
  return (
    <span class="tokens">
      <span>
        {compact(read)} <span aria-hidden="true">→</span>
        <span class="sr-only">in, out</span> {compact(answered)}
      </span>
      <Bar parts={partsOf(tokens)} />
    </span>
  )
}

function Bar({ parts }: { parts: [Kind, number][] }) {
  return (
    <span class="bar" aria-hidden="true">
      {parts.map(([kind, amount]) => (
        <span
          key={kind}
          class={`part ${kind}`}
          style={{ flexGrow: amount }}
          title={`${count(amount)} ${KINDS[kind]}`}
        />
      ))}
    </span>
  )
}

/** The same with every number, for the detail of a call. */
export function TokensLegend({ tokens }: { tokens: Tokens }) {
  const parts = partsOf(tokens)
  if (parts.length === 0) return <p class="faint">No tokens were counted.</p>
  return (
    <div class="tokens-legend">
      <Bar parts={parts} />
      <ul>
        {parts.map(([kind, amount]) => (
          <li key={kind}>
            <span class={`dot ${kind}`} aria-hidden="true" /> {count(amount)} {KINDS[kind]}
          </li>
        ))}
      </ul>
    </div>
  )
}

import { FAILURES, type Next } from '../../core/failures.ts'
import { row, table } from './elements.ts'
import { type Html, html } from './markup.ts'

const NEXT: Record<Next, string> = {
  retry: 'The next target; where none is left, the same one again (at most twice, after a moment)',
  'next credential': 'Another key of the same provider at once; else the next target',
  'next target': 'The next target',
  stop: 'The caller is told',
}

/** The table that the gateway itself goes by. */
export function failuresSection(): Html {
  const rows = Object.entries(FAILURES).map(([kind, { when, next, ill, tell }]) => {
    const told = tell === 'as it is' ? 'the provider’s own words' : tell
    return row([html`<code id="failure-${kind}">${kind}</code>`, when, NEXT[next], ill ? 'yes' : 'no', told])
  })
  return html`<section id="failures" aria-labelledby="failures-title">
<h2 id="failures-title">When a provider fails</h2>
<p>The model and its fallbacks are the targets, in this order. What follows a failure is in this table. Calls beyond the first
are held to a fifth of an owner’s requests and three more. <code>Retry-After</code> is waited for up to 30 seconds; a provider that
wants longer is left at once. Five failures in a row that say the model is ill close it for 20 seconds; then one call looks
whether it is back. It is closed for the owner of the key, and for everyone when two owners have met with the same, or when the
gateway itself cannot connect to the provider. Failures of requests with headers or fields of their own (<code>extra_headers</code>,
<code>extra_body</code>, unknown fields) close it for such requests of that owner only, unless no connection could be made. After the first word of a stream another target goes on only where that is safe: it accepts what was said
as its own beginning, or begins with the very same words; else the stream ends with one error.</p>
${table(['Failure', 'When', 'What follows', 'Ill', 'Told, when nobody is left'], rows)}
</section>`
}

import { readFileSync } from 'node:fs'
import { code, fold } from './elements.ts'
import { type Html, html } from './markup.ts'

/** The same files that the tests run. */
const RECEIVERS = [
  ['Node', 'node.mjs'],
  ['Python', 'python.py'],
  ['Go', 'go/main.go'],
  ['openssl', 'openssl.sh'],
  ['openssl, with the signed time', 'openssl-timestamp.sh'],
] as const

/** How to verify a webhook, in the languages that people write receivers in. */
export function receiversSection(): Html {
  const samples = RECEIVERS.map(([language, file]) => {
    return fold(language, code('', readFileSync(new URL(`receivers/${file}`, import.meta.url), 'utf8').trimEnd()))
  })
  return html`<section id="receivers" aria-labelledby="receivers-title">
<h2 id="receivers-title">Receiving webhooks</h2>
<p>The gateway signs the raw body of a webhook. Verify the signature over the bytes as they arrived,
before you parse them: JSON that was parsed and written again may have other bytes, for example in large numbers. The signature is in
<code>X-Service-Signature</code>, in hexadecimal. The public key is at <code>GET /v3/webhooks/public-key</code>. Answer with
any 2xx status within 30 seconds. After a 5xx status, a timeout or a broken connection the gateway sends the same bytes again, up to
three times.</p>
<p>A second signature follows <em>Standard Webhooks</em> and covers the time as well. <code>webhook-signature</code> is
<code>v1a,</code> followed by the base64 of an Ed25519 signature of <code>webhook-id</code>, <code>webhook-timestamp</code> and the
body, joined by dots. Every attempt has a new signature. The public key is at <code>GET /v3/webhooks/public-key/ed25519</code>. Refuse
a timestamp that is more than five minutes off, so that an attacker cannot replay an old webhook.</p>
${samples}
</section>`
}

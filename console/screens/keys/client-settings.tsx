import type { CreatedKey } from '../../../src/contract/admin/keys.ts'
import { apiUrl } from '../../api/api-url.ts'
import { may } from '../../api/session.ts'
import { ArrivingCall } from '../../parts/arriving-call.tsx'
import { CodeBlock } from '../../parts/code-block.tsx'
import { chatCommand } from '../../parts/first-call.tsx'

type Props = { created: CreatedKey; onDone: () => void }

/** The only time that the secret is shown, with what to paste where. */
export function ClientSettings({ created: { id, key, name }, onDone }: Props) {
  const base = apiUrl()
  const texts = {
    Shell: `export GATEHOUSE_API_KEY='${key}'\n${chatCommand('sandbox/echo')}`,
    'OpenAI SDK and most clients': `export OPENAI_BASE_URL=${base}/v3\nexport OPENAI_API_KEY='${key}'`,
    'Claude Code': `export ANTHROPIC_BASE_URL=${base}/v3\nexport ANTHROPIC_AUTH_TOKEN='${key}'`,
  }
  return (
    <div class="stack">
      <p>
        <b>{name}</b> is ready. Copy the key now: it is shown only once, and the gateway stores only its digest.
      </p>
      <CodeBlock label="the key" text={key} />
      {Object.entries(texts).map(([title, text]) => (
        <section key={title}>
          <h3>{title}</h3>
          <CodeBlock label={`the settings for ${title}`} text={text} />
        </section>
      ))}
      {may('usage.read') && <ArrivingCall filter={{ key: id }} what="a request with this key" />}
      <button type="button" class="primary" onClick={onDone}>
        Done
      </button>
    </div>
  )
}

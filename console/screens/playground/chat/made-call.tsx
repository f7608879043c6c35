import type { GatewayCall } from '../../../../src/contract/provider-content.ts'
import { CodeBlock } from '../../../parts/code-block.tsx'
import { duration, money } from '../../../parts/format.ts'

/** A call that the gateway has made. What the tool has said is text of another party. */
export function MadeCall({ of: { name, server, input, output, is_error, duration_ms, cost } }: { of: GatewayCall }) {
  return (
    <details class="tool-call">
      <summary>
        <code>{name}</code> {server} {is_error && <span class="status bad">failed</span>}{' '}
        <small>
          {duration(duration_ms)}, {money(cost)}
        </small>
      </summary>
      <CodeBlock label={`the arguments of ${name}`} text={JSON.stringify(input, null, 2)} />
      <CodeBlock label={`the ${is_error ? 'error' : 'result'} of ${name}`} text={output} />
    </details>
  )
}

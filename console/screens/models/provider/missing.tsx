import type { ProviderState } from '../../../../src/contract/admin/providers.ts'
import { CodeBlock } from '../../../parts/code-block.tsx'

/** What has to be set before a provider can be called, and how. */
export function Missing({ of: provider }: { of: ProviderState }) {
  const {
    state,
    local,
    missing,
    missing_all: isAll,
    missing_for: what,
    base_url: url,
    base_url_variable: other,
  } = provider
  if (local) return <LocalServer isThere={state !== 'not_reachable'} url={url ?? ''} variable={other} />
  if (missing.length === 0) return null
  const lines = (isAll ? missing : missing.slice(0, 1)).map((name) => `export ${name}='…'`)
  const orKey = what === 'credential' ? ', or add a credential here' : ''
  return (
    <div>
      <p class="faint">
        Start the gateway with {lines.length > 1 ? 'these variables' : 'this variable'}
        {orKey}.
      </p>
      <CodeBlock label="the variables" text={lines.join('\n')} />
    </div>
  )
}

type LocalProps = { isThere: boolean; url: string; variable: string | null }

function LocalServer({ isThere, url, variable }: LocalProps) {
  return (
    <div>
      <p class="faint">
        {isThere ? 'The server answers at' : 'Start the server: no server answers at'} <code>{url}</code>. It needs no
        API key unless you have set one.
        {variable && ' For another address, start the gateway with:'}
      </p>
      {variable && <CodeBlock label="the variable" text={`export ${variable}='http://127.0.0.1:…/v1'`} />}
    </div>
  )
}

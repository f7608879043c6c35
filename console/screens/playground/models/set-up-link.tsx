import { pathWith } from '../../../api/client.ts'
import { may } from '../../../api/session.ts'

/** Leads to the form for a key of a provider. The conversation is still here afterwards. */
export function SetUpLink({ provider, name }: { provider: string; name: string }) {
  if (!may('config.write')) return <>An owner or an admin can set up {name}.</>
  return <a href={pathWith('/models', { provider })}>Set up {name}</a>
}

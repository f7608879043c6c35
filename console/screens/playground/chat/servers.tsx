import { useEffect } from 'preact/hooks'
import type { OfferedMcpServers } from '../../../../src/contract/admin/mcp-servers.ts'
import { useAnswer } from '../../../api/use-answer.ts'
import { Failure } from '../../../parts/notice.tsx'
import type { Who } from '../who/who-fields.tsx'

type Server = OfferedMcpServers['items'][number]
type Props = { who: Who; chosen: readonly string[]; set: (servers: readonly string[]) => void }

/** MCP servers whose tools models may call. The gateway makes the calls, so the person does not answer for a tool. */
export function Servers({ who, chosen, set }: Props) {
  const { value, error, reload } = useAnswer('/admin/playground/mcp', who)
  const offered = value?.items ?? []
  // Another project may have others, and a chat that names one of them would be refused.
  useEffect(() => {
    const left = chosen.filter((name) => offered.some((server) => server.name === name))
    if (value && left.length < chosen.length) set(left)
  }, [value])
  const toggle = (name: string) =>
    set(chosen.includes(name) ? chosen.filter((other) => other !== name) : [...chosen, name])
  if (!error && offered.length === 0) return null
  return (
    <fieldset class="tools">
      <legend>MCP servers</legend>
      <Failure error={error} onRetry={reload} />
      <ul>
        {offered.map(({ name, ...server }) => (
          <li key={name}>
            <label class="check">
              <input type="checkbox" checked={chosen.includes(name)} onChange={() => toggle(name)} />
              {name}
            </label>
            <Tools of={server} />
          </li>
        ))}
      </ul>
    </fieldset>
  )
}

function Tools({ of: { tools, problem } }: { of: Omit<Server, 'name'> }) {
  if (!tools) return <small class="status warn">{problem}</small>
  return <small>{tools.length === 0 ? 'no tools' : tools.map(({ name }) => name).join(', ')}</small>
}

import { useState } from 'preact/hooks'
import type { McpToolList } from '../../../src/contract/admin/mcp-servers.ts'
import { pathTo } from '../../api/client.ts'
import { may } from '../../api/session.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { CodeBlock } from '../../parts/code-block.tsx'
import { Failure, Loading } from '../../parts/notice.tsx'
import { TryTool } from './try-tool.tsx'

type Tool = McpToolList['items'][number]

/** What the server offers now, with schemas. What it says about its tools is text of another party. */
export function ServerTools({ server }: { server: string }) {
  const { value, error, reload } = useAnswer(pathTo('/admin/mcp/servers/{server_name}/tools', { server_name: server }))
  return (
    <section>
      <h3>Tools</h3>
      <Failure error={error} onRetry={reload} />
      {!value && !error && <Loading what="tools" />}
      {value?.items.length === 0 && <p class="faint">The server has no tools.</p>}
      <ul class="stack">
        {value?.items.map((tool) => (
          <li key={tool.name}>
            <ToolDetail tool={tool} server={server} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function ToolDetail({ tool, server }: { tool: Tool; server: string }) {
  const { name, title, description, input_schema, read_only, allowed } = tool
  const [isTrying, setTrying] = useState(false)
  return (
    <details class="tool">
      <summary>
        <b>{name}</b> {title} {!allowed && <span class="status warn">not allowed</span>}
      </summary>
      <p>{description || 'No description.'}</p>
      {read_only !== null && (
        <p class="faint">
          The server marks this tool as {read_only ? 'read-only' : 'changing data'}. The gateway does not rely on that.
        </p>
      )}
      <CodeBlock label={`the schema of ${name}`} text={JSON.stringify(input_schema, null, 2)} />
      {allowed && may('keys.write') && (
        <button type="button" class="small" onClick={() => setTrying(true)}>
          Try<span class="sr-only"> {name}</span>
        </button>
      )}
      {isTrying && <TryTool server={server} tool={tool} onClose={() => setTrying(false)} />}
    </details>
  )
}

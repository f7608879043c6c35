import { useState } from 'preact/hooks'
import type { RequestContent } from '../../../src/contract/admin/content.ts'
import type { RequestRecord } from '../../../src/contract/admin/requests.ts'
import { pathTo } from '../../api/client.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { CodeBlock, CopyButton } from '../../parts/code-block.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Failure, Loading } from '../../parts/notice.tsx'
import { TokensLegend } from '../../parts/tokens-bar.tsx'
import { useQuery } from '../../parts/use-query.ts'
import { Attempts } from './attempts.tsx'
import { CallContent } from './content/call-content.tsx'
import { Cost } from './cost.tsx'
import { repeatCommand } from './repeat-command.ts'
import { Effects } from './effects.tsx'
import { Summary } from './summary.tsx'

/** Everything that is known about one call. */
export function CallDetail({ id }: { id: string }) {
  const { change } = useQuery()
  const { value, error, reload } = useAnswer(pathTo('/admin/requests/{call_id}', { call_id: id }))
  return (
    <Dialog title="Request" isDrawer onClose={() => change({ call: undefined })}>
      <p class="id-line">
        <code>{id}</code> <CopyButton text={id} what="the id" />
      </p>
      <Failure error={error} onRetry={reload} />
      {value ? <Parts call={value} /> : !error && <Loading what="the request" />}
    </Dialog>
  )
}

function Parts({ call }: { call: RequestRecord }) {
  const [content, setContent] = useState<RequestContent>()
  return (
    <>
      <Summary call={call} />
      <h3>Attempts</h3>
      <Attempts attempts={call.attempt_list} count={call.attempts} />
      <h3>Tokens</h3>
      <TokensLegend tokens={call} />
      <h3>Cost</h3>
      <Cost call={call} />
      <Effects call={call} />
      <CallContent call={call} onRead={setContent} />
      <h3>Replay</h3>
      <p class="faint">{replayHint(call, content)}</p>
      <CodeBlock label="the command" text={repeatCommand(call, content?.request)} />
    </>
  )
}

function replayHint({ content: state }: RequestRecord, content: RequestContent | undefined): string {
  if (content?.mode === 'redacted') return 'With the request as it was kept, without personal data.'
  if (content) return 'With the request as it was kept.'
  return state === 'kept' ? 'Show the content to replay the request as it was sent.' : 'Replace the text with your own.'
}
